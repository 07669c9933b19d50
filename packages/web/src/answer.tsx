import './styles/base.css';
import './styles/answer.css';
import { AnswerView } from './answer/answer-view.tsx';
import { showPage } from './host/show-page.tsx';

await showPage('schemakit-answer', AnswerView);
