import { expect, it } from 'vitest';
import { serveScript } from '../../fixtures/scripted-server.ts';
import { serveSdk2 } from '../../fixtures/sdk-servers.ts';
import { layerNames } from '../input/layer-names.ts';
import { start } from '../start.ts';
import { assess } from './assess.ts';

it('has all eight layers, in plain JSON, and tells each as it ends', async () => {
  const { endpoint } = await serveSdk2();
  const told: string[] = [];
  const result = await assess({ url: endpoint, onLayer: (name, { state }) => told.push(`${name} ${state}`) });
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  expect(Object.keys(result.layers)).toEqual(layerNames);
  expect(told.sort()).toEqual(layerNames.map((name) => `${name} ${result.layers[name].state}`).sort());
  expect(result).toMatchObject({
    status: true,
    grade: { letter: 'A', holdsDown: [] },
    categories: { supportsMcp: true, overallHealthy: true },
  });
});

it('the layer mcp sees what start sees', async () => {
  const { endpoint } = await serveSdk2({ resources: [{ uri: 'file:///a', name: 'a' }] });
  const { entries } = await start({ endpoint });
  const { layers } = await assess({ url: endpoint });
  const { tools, resources, probe, serverName, capabilities } = entries;
  expect(layers.mcp).toMatchObject({ state: 'passed', entries: { tools, resources, probe, serverName, capabilities } });
});

it('evaluates only the layers that are asked for', async () => {
  const { endpoint } = await serveSdk2();
  const { layers, grade } = await assess({ url: endpoint, layers: ['mcp'] });
  expect(layers.mcp.state).toBe('passed');
  expect(layers.oauth).toEqual({ detected: false, state: 'not-evaluated', skipped: 'Not asked for, see `layers`.' });
  expect(grade).toEqual({ letter: 'A', coverage: { seen: 1, of: 8 }, holdsDown: [], next: null });
});

it('closes the session at the end', async () => {
  const { endpoint, requests } = await serveScript({}, ({ method, headers }, response) => {
    if (method === 'POST') response.setHeader('mcp-session-id', headers['mcp-session-id'] ?? 'one');
    return false;
  });
  await assess({ url: endpoint, layers: ['mcp'] });
  expect(requests.at(-1)).toBe('DELETE /mcp');
});

it('gives an endpoint that cannot be reached the letter F', async () => {
  const result = await assess({ url: 'http://127.0.0.1:1/' });
  const holdsDown = ['HTTP-002:http'];
  expect(result).toMatchObject({ status: false, grade: { letter: 'F', holdsDown, next: { mend: holdsDown } } });
});
