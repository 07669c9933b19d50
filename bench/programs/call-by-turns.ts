// Calls tools with identity handlers by turns. Arguments: folders of schemas, each a source.
import { loadSchemas, SchemaKit } from '@schemakit/core';
import { answerCallQuestions, type Call } from '../processes/measure-calls.ts';

const folders = process.argv.slice(2);
const loaded = await Promise.all(folders.map((folder) => loadSchemas({ paths: [folder] })));
const schemas = loaded.flatMap((each) => each.schemas);

answerCallQuestions({ one: call(() => schemas[0]), all: call((turn) => schemas[turn % schemas.length]) });

function call(choose: (turn: number) => (typeof schemas)[number] | undefined): Call {
  return async (turn) => {
    const schema = choose(turn);
    if (schema === undefined) throw new Error(`there are no schemas in ${folders.join()}`);
    const { status, messages, data } = await SchemaKit.fetch({
      schema,
      routeName: 'getItems',
      userParams: { kilobytes: 1 },
    });
    if (!status) throw new Error(messages.join('\n'));
    return data;
  };
}
