/** A refusal of the simulator; its message is a sentence for people. */
export class Refusal extends Error {}

async function call(path, init) {
  const response = await fetch(path, init);
  const answer = await response.json();
  if (!response.ok || answer.ok === false) throw new Refusal(answer.error ?? answer.description ?? response.statusText);
  return answer;
}

function post(path, body) {
  return call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

export const listPeople = () => call('/api/people');
export const listChats = (person) => call(`/api/chats?as=${person}`);
export const listCommands = (person, chat) => call(`/api/commands?as=${person}&chat=${chat}`);
export const send = (message) => post('/api/messages', message);
export const stopDraft = (person) => post('/api/drafts/stop', { from: person });
export const edit = (change) => post('/api/edits', change);
export const click = (button) => post('/api/clicks', button);
export const block = (person, blocked) => post('/api/block', { person, blocked });

/** Sends files of one kind, `photo`, `document` or `voice`, as one message or an album. */
export async function sendFiles(message, kind, files) {
  const form = new FormData();
  form.append('message', JSON.stringify(message));
  files.forEach((file, index) => form.append(`${kind}${index + 1}`, file, file.name));
  return call('/api/messages', { method: 'POST', body: form });
}

/** Sends a recording of so many seconds. */
export async function sendVoice(message, file, durationSeconds) {
  const data = await toBase64(file);
  return send({ ...message, files: [{ kind: 'voice', name: file.name, type: file.type, data, durationSeconds }] });
}

function toBase64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result.slice(reader.result.indexOf(',') + 1)));
    reader.addEventListener('error', () => reject(new Refusal(`${file.name} cannot be read.`)));
    reader.readAsDataURL(file);
  });
}

/** The newest messages of a chat, or those before a message. */
export function listMessages(person, chat, { limit, before }) {
  const older = before === undefined ? '' : `&before=${before}`;
  return call(`/api/chats/${chat}/messages?as=${person}&limit=${limit}${older}`);
}

const RETRY_MS = 1_000;

/**
 * Follows every change after `seq`, and comes back by itself when the simulator restarts. `onState` hears whether
 * the connection is there.
 */
export function followEvents(seq, { onEvent, onState }) {
  let last = seq;
  const source = new EventSource(`/api/events?after=${last}`);
  source.addEventListener('open', () => onState(true));
  source.addEventListener('message', (message) => {
    const event = JSON.parse(message.data);
    last = event.seq;
    onEvent(event);
  });
  source.addEventListener('error', () => {
    onState(false);
    // The browser tries again by itself unless the answer was a wrong one; then it gives up and we do it.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => followEvents(last, { onEvent, onState }), RETRY_MS);
  });
}
