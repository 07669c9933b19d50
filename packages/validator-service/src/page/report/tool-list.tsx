import type { AssessmentFinding } from '@schemakit/validator';
import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';
import { at, isKey, numberAt } from './entries.ts';
import { shownNumber } from './numbers.ts';
import type { Layers } from './shown-report.ts';
import { type ShownTool, shownTools } from './tools.ts';

const MAX_OPEN = 10;
const MAX_SHOWN = 100;

interface ToolListProps {
  layers: Layers;
  findings: readonly AssessmentFinding[];
}

/** The tools as a model sees them: signature, description, what they cost in tokens and in money. Many are folded. */
export function ToolList({ layers, findings }: ToolListProps): VNode | null {
  const { texts, language } = usePage();
  const tools = shownTools(layers);
  if (tools.length === 0) return null;
  const notes = new Set(findings.flatMap(({ code, severity }) => (severity === 'INFO' ? code : [])));
  const items = tools.slice(0, MAX_SHOWN).map((tool, index) => (
    <li key={index}>
      <Tool tool={tool} notes={notes} />
    </li>
  ));
  const folded = items.slice(MAX_OPEN);
  const tokens = numberAt(at(layers.mcp, 'entries'), 'toolQuality', 'tokens');
  return (
    <section class="tools">
      <h3>
        {texts.tools.heading(tools.length)}
        {tokens !== undefined && <span class="muted"> · {texts.tools.tokens(shownNumber(tokens, language))}</span>}
      </h3>
      <ul>{items.slice(0, MAX_OPEN)}</ul>
      {folded.length > 0 && (
        <details class="more-tools">
          <summary>{texts.tools.rest(folded.length)}</summary>
          <ul>{folded}</ul>
        </details>
      )}
      {tools.length > MAX_SHOWN && <p class="muted">{texts.tools.more(tools.length - MAX_SHOWN)}</p>}
    </section>
  );
}

function Tool({ tool, notes }: { tool: ShownTool; notes: ReadonlySet<string> }): VNode {
  const { texts, language } = usePage();
  const { name, description, parameters, hint, outcome, prices, problems, tokens } = tool;
  const signature = parameters.map((one) => `${one.name}${one.isRequired ? '' : '?'}: ${one.type}`).join(', ');
  return (
    <details>
      <summary>
        <span class="signature" dir="ltr">
          <b>{name}</b>({signature})
        </span>
        <span class="tags">
          {prices.map((price) => (
            <span key={price} class="tag is-price">
              {price}
            </span>
          ))}
          <span class={`tag is-${hint}`}>{texts.tools[hint]}</span>
          {problems.map((code) => (
            <span key={code} class={`tag is-code${notes.has(code) ? '' : ' is-problem'}`}>
              {code}
            </span>
          ))}
        </span>
        <span class={description === undefined ? 'description muted' : 'description'} dir="auto">
          {description ?? texts.tools.noDescription}
        </span>
      </summary>
      {parameters.length === 0 ? (
        <p class="muted">{texts.tools.noParameters}</p>
      ) : (
        <dl>
          {parameters.map((one) => (
            <div key={one.name}>
              <dt>
                <code>{one.name}</code> <span class="muted">{one.type}</span>
                {one.isRequired && <span class="muted">, {texts.tools.required}</span>}
              </dt>
              <dd dir="auto">{one.description ?? <span class="muted">{texts.tools.noDescription}</span>}</dd>
            </div>
          ))}
        </dl>
      )}
      <p class="muted">
        {texts.tools.ownTokens(shownNumber(tokens, language))}
        {outcome !== undefined && isKey(outcome, texts.tools.outcomes) && ` · ${texts.tools.outcomes[outcome]}`}
      </p>
    </details>
  );
}
