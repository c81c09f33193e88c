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
export const readBot = (person) => call(person === undefined ? '/api/bot' : `/api/bot?as=${person}`);
export const listTopics = (person) => call(`/api/topics?as=${person}`);
export const listCommands = (person, chat) => call(`/api/commands?as=${person}&chat=${chat}`);
export const send = (message) => post('/api/messages', message);
export const stopDraft = (person) => post('/api/drafts/stop', { from: person });
export const edit = (change) => post('/api/edits', change);
export const click = (button) => post('/api/clicks', button);
export const react = (reaction) => post('/api/reactions', reaction);
export const forward = (message) => post('/api/forwards', message);
export const remove = (messages) => post('/api/deletions', messages);
export const openTopic = (topic) => post('/api/topics', topic);
export const changeTopic = (id, change) => post(`/api/topics/${id}`, change);
export const setBotStatus = (by, status) => post('/api/rights', { by, status });
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
 * Follows every change after `seq` and comes back by itself when the simulator restarts. Without `as` all chats are
 * followed, without what is for one person alone; with `as` what this person sees. `onState` hears whether the connection
 * is there. Answers the function that ends it.
 */
export function followEvents(seq, { as, onEvent, onState = () => {} }) {
  let last = seq;
  let isEnded = false;
  let source = open();
  return () => {
    isEnded = true;
    source.close();
  };

  function open() {
    const next = new EventSource(`/api/events?after=${last}${as === undefined ? '' : `&as=${as}`}`);
    next.addEventListener('open', () => onState(true));
    next.addEventListener('message', (message) => {
      const event = JSON.parse(message.data);
      last = event.seq;
      onEvent(event);
    });
    next.addEventListener('error', () => {
      if (isEnded) return;
      onState(false);
      // The browser tries again by itself unless the answer was a wrong one; then it gives up and we do it.
      if (next.readyState === EventSource.CLOSED) setTimeout(() => !isEnded && (source = open()), RETRY_MS);
    });
    return next;
  }
}
