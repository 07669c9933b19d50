import './styles/base.css';
import './styles/run.css';
import { showPage } from './host/show-page.tsx';
import { RunView } from './run/run-view.tsx';

await showPage('schemakit-run', RunView);
