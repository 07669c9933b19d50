import type { Attributes, Span } from '@opentelemetry/api';
import type { ToolCall } from '../model/model.ts';
import type { RunEvent } from '../run/events.ts';

type OpenTelemetry = typeof import('@opentelemetry/api');

// Set when the program registers a provider. Without one, the API is not loaded.
const registry = Symbol.for('opentelemetry.js.api.1');

/** The spans of a run. */
export interface RunTrace {
  listen(event: RunEvent): void;
  /** Ends the spans of a run that does not end here: another worker goes on with it. */
  end(): void;
}

/**
 * Records a run as spans by the semantic conventions for generative AI: `invoke_agent`, in it `chat` for each request to the model and
 * `execute_tool` for each call. Undefined if the program has not set up OpenTelemetry.
 *
 * @param options.recordContent Whether spans contain what callers, models and tools said.
 */
export async function traceRun(
  agent: string,
  { recordContent = false }: { recordContent?: boolean | undefined },
): Promise<RunTrace | undefined> {
  if (!(registry in globalThis)) return undefined;
  const otel = await import('@opentelemetry/api').catch(() => undefined);
  return otel && spansOf(otel, agent, recordContent);
}

function spansOf(otel: OpenTelemetry, agent: string, recordContent: boolean): RunTrace {
  const tracer = otel.trace.getTracer('schemakit');
  const open = new Map<string, Span>();
  let parent = otel.context.active();
  const start = (key: string, name: string, attributes: Attributes) => {
    const kind = key.startsWith('chat') ? otel.SpanKind.CLIENT : otel.SpanKind.INTERNAL;
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    open.set(key, span);
    return span;
  };
  const end = (key: string, attributes: Attributes, error?: string) => {
    const span = open.get(key);
    span?.setAttributes({ ...attributes, ...(error !== undefined && { 'error.type': error }) });
    if (error !== undefined) span?.setStatus({ code: otel.SpanStatusCode.ERROR });
    span?.end();
    open.delete(key);
  };
  const recorded = (name: string, value: string | object): Attributes =>
    recordContent ? { [name]: typeof value === 'string' ? value : JSON.stringify(value) } : {};
  let asked: Attributes = {};
  let model = '';
  const listen = (event: RunEvent) => {
    switch (event.type) {
      case 'run.started': {
        model = event.model;
        asked = { 'gen_ai.provider.name': model.split('/')[0] ?? '', 'gen_ai.request.model': model };
        const span = start('run', `invoke_agent ${agent}`, {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': agent,
          ...asked,
          'gen_ai.conversation.id': event.runId,
          ...recorded('gen_ai.input.messages', message('user', event.args)),
        });
        parent = otel.trace.setSpan(parent, span);
        break;
      }
      case 'round.started':
        start('chat', `chat ${model}`, { 'gen_ai.operation.name': 'chat', ...asked });
        break;
      case 'model.answered':
        end('chat', {
          'gen_ai.usage.input_tokens': event.usage.inputTokens,
          'gen_ai.usage.output_tokens': event.usage.outputTokens,
          'gen_ai.response.finish_reasons': [
            event.isCutOff ? 'length' : event.calls.length > 0 ? 'tool_calls' : 'stop',
          ],
          ...recorded('gen_ai.output.messages', message('assistant', event.text, event.calls)),
        });
        break;
      case 'tool.called':
        start(event.callId, `execute_tool ${event.tool}`, {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': event.tool,
          'gen_ai.tool.call.id': event.callId,
          ...recorded('gen_ai.tool.call.arguments', event.args),
        });
        break;
      case 'tool.answered':
        end(event.callId, recorded('gen_ai.tool.call.result', event.text), event.isError ? 'tool_error' : undefined);
        break;
      case 'run.ended': {
        const error = event.status === 'success' ? undefined : event.status;
        for (const key of [...open.keys()].filter((each) => each !== 'run')) end(key, {}, error);
        end('run', recorded('gen_ai.output.messages', message('assistant', event.answer)), error);
        break;
      }
    }
  };
  return {
    listen,
    end() {
      // The inner ones first.
      for (const key of [...open.keys()].reverse()) end(key, {});
    },
  };
}

/** A message by the semantic conventions. */
function message(role: 'user' | 'assistant', said: unknown, calls: readonly ToolCall[] = []): object {
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  const called = calls.map(({ id, name, args }) => ({ type: 'tool_call', id, name, arguments: args }));
  return [{ role, parts: [...(text === '' ? [] : [{ type: 'text', content: text }]), ...called] }];
}
