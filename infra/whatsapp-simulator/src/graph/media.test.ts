import { expect, it } from 'vitest';
import { ADA, bot, callGraph, client, send, simulator, useSimulator } from '../simulator.fixture.ts';
import { BOT_DEFAULTS } from '../server.ts';

useSimulator();

const authorization = `Bearer ${BOT_DEFAULTS.token}`;

async function upload(bytes: string, type: string): Promise<{ readonly status: number; readonly id: string }> {
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('type', type);
  form.set('file', new Blob([bytes], { type }), 'report.pdf');
  const response = await fetch(`${simulator.graphUrl}/${BOT_DEFAULTS.phoneNumberId}/media`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  });
  // An upload returns an id, a refusal does not.
  const { id = '' } = (await response.json()) as { readonly id?: string };
  return { status: response.status, id };
}

it('a file that the bot uploads is shown to the person, and can be downloaded only with the token', async () => {
  await client.say(ADA, 'hi');
  const { id } = await upload('%PDF', 'application/pdf');
  await send({ type: 'document', document: { id, filename: 'report.pdf', caption: 'Here' } });
  expect((await client.messages(ADA)).at(-1)).toMatchObject({ mediaId: id, fileName: 'report.pdf', text: 'Here' });
  const { body } = await callGraph(id);
  expect(body).toMatchObject({ mime_type: 'application/pdf', file_size: 4, messaging_product: 'whatsapp' });
  const url = String(body['url']);
  expect((await fetch(url)).status).toBe(401);
  expect(await (await fetch(url, { headers: { authorization } })).text()).toBe('%PDF');
});

it('the download address of a file is valid for five minutes and for that file only', async () => {
  const { id } = await upload('%PDF', 'application/pdf');
  const url = String((await callGraph(id)).body['url']);
  const changed = url.replace(/mid=\d+/, 'mid=1');
  expect((await fetch(changed, { headers: { authorization } })).status).toBe(400);
  await client.advanceClock(5 * 60_000 + 1_000);
  expect((await fetch(url, { headers: { authorization } })).status).toBe(404);
});

it('a file of an unsupported type, an empty file and a file over the size limit are refused', async () => {
  expect((await upload('{}', 'application/json')).status).toBe(400);
  expect((await upload('', 'application/pdf')).status).toBe(400);
  expect((await upload('x'.repeat(5 * 1024 * 1024 + 1), 'image/png')).status).toBe(400);
  expect(await client.problems()).toHaveLength(3);
});

it("the bot receives a person's file as a media id, and looks up its type and size", async () => {
  await client.sendFile(ADA, { kind: 'voice', bytes: Buffer.from('OggS'), mimeType: 'audio/ogg; codecs=opus' });
  await expect.poll(() => bot.received.length).toBe(1);
  const [, id = ''] = /"id":"(\d+)"/.exec(bot.received[0]?.text.split('"audio":')[1] ?? '') ?? [];
  expect(bot.received[0]?.text).toContain('"voice":true');
  expect((await callGraph(id)).body).toMatchObject({ mime_type: 'audio/ogg; codecs=opus', file_size: 4 });
});
