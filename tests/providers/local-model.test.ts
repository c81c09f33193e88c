import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findLocalModel, type ModelServer } from '@signalbox/local/setup/local-model';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { afterEach, describe, expect, it } from 'vitest';
import { startModelWire, type ModelWire, type WireScript } from '../support/model-wire.ts';

/** Calls the tool that it is offered. */
const calls: WireScript = ({ tools = [] }) => ({
  toolCalls: tools.slice(0, 1).map((tool) => ({ name: tool.function.name, arguments: '{"word":"hello"}' })),
});
const talks: WireScript = () => ({ content: 'Hello!' });

describe('a model server on this machine', () => {
  const wires: ModelWire[] = [];
  const lists: Server[] = [];
  const reported: string[] = [];
  afterEach(async () => {
    reported.length = 0;
    await Promise.all(wires.splice(0).map((wire) => wire.close()));
    for (const server of lists.splice(0)) server.close();
  });

  /** A server that lists these models, and answers by the script. */
  const serve = async (of: Pick<ModelServer, 'name' | 'list'>, models: readonly string[], script: WireScript) => {
    const wire = await startModelWire(script);
    wires.push(wire);
    const body =
      of.list === '/api/tags' ? { models: models.map((name) => ({ name })) } : { data: models.map((id) => ({ id })) };
    const server = createServer((request, response) => {
      if (request.url === of.list) return void response.end(JSON.stringify(body));
      response.writeHead(307, { location: `${wire.url}${request.url}` }).end();
    });
    lists.push(server.listen(0, '127.0.0.1'));
    await new Promise((resolve) => server.once('listening', resolve));
    return { ...of, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }; // it listens on a port
  };
  const find = (...servers: readonly ModelServer[]) => findLocalModel((line) => reported.push(line), servers, 5_000);
  const OLLAMA = { name: 'Ollama', list: '/api/tags' } as const;
  const LM_STUDIO = { name: 'LM Studio', list: '/v1/models' } as const;

  it.each([
    [OLLAMA, 'MODEL', 'ollama:qwen3:8b', 'OLLAMA_BASE_URL', ''],
    [LM_STUDIO, 'MODEL', 'openai_compatible:qwen3:8b', 'OPENAI_COMPATIBLE_BASE_URL', '/v1'],
  ])('is used when its model calls a tool: $name', async (of, _, model, variable, path) => {
    const server = await serve(of, ['qwen3:8b'], calls);
    expect(await find(server)).toEqual({
      variables: { MODEL: model, [variable]: `${server.url}${path}` },
      server: of.name,
    });
    expect(reported).toEqual([`trying whether ${of.name}'s qwen3:8b can call tools`]);
  });

  it('is not used, but named, when none of its models calls tools', async () => {
    const server = await serve(OLLAMA, ['tiny', 'small'], talks);
    expect(await find(server)).toEqual({
      variables: null,
      problem: "Ollama's tiny calls no tools; Ollama's small calls no tools",
    });
  });

  it('that is unusable is skipped for the next usable server', async () => {
    const [first, second] = [await serve(OLLAMA, [], talks), await serve(LM_STUDIO, ['big'], calls)];
    expect(await find(first, second)).toMatchObject({ server: 'LM Studio' });
  });

  it('is not found when the port is closed or belongs to another program', async () => {
    const other = await serve(OLLAMA, ['x'], talks);
    const nobody = { ...OLLAMA, url: `http://127.0.0.1:${await findFreePort()}` };
    expect(await find(nobody, { ...LM_STUDIO, url: other.url })).toBeNull();
    expect(reported).toEqual([]);
  });
});
