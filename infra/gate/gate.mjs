#!/usr/bin/env node
/*
 * Asks people in a chat whether this pipeline may deploy, and waits for their decision. Node 18 or later, no packages.
 * Exit code 0: approved. 1: refused, expired, or no decision in time. 2: the request is wrong or could not be made.
 * docs/gates.md describes the variables.
 */
import { createHmac } from 'node:crypto';

const POLL_MS = 3_000;
const REQUEST_MS = 30_000;
const MINUTE_MS = 60_000;

/** A problem that waiting does not solve. */
class Unusable extends Error {}

const tell = (stream, line) => void stream.write(`${line}\n`);

const env = process.env;
const setting = (names, what) => {
  const name = names.find((one) => (env[one] ?? '') !== '');
  if (name === undefined) throw new Unusable(`${names[0]} is not set: ${what}`);
  return env[name];
};

/** Reads the request from variables of our own, else from those of GitHub and GitLab. */
function readGate() {
  const run = env.GITHUB_RUN_ID ? `${env.GITHUB_RUN_ID}:${env.GITHUB_RUN_ATTEMPT ?? 1}` : (env.CI_JOB_ID ?? '');
  return {
    repository: setting(['GATE_REPOSITORY', 'GITHUB_REPOSITORY', 'CI_PROJECT_PATH'], 'such as acme/shop'),
    environment: setting(['GATE_ENVIRONMENT', 'CI_ENVIRONMENT_NAME'], 'such as production'),
    ref: setting(['GATE_REF', 'GITHUB_REF_NAME', 'CI_COMMIT_REF_NAME'], 'the branch or tag'),
    commit: setting(['GATE_COMMIT', 'GITHUB_SHA', 'CI_COMMIT_SHA'], 'the whole commit id'),
    run: env.GATE_RUN || run || setting(['GATE_RUN'], 'what identifies this run and its attempt'),
    actor: setting(['GATE_ACTOR', 'GITHUB_TRIGGERING_ACTOR', 'GITLAB_USER_LOGIN'], 'who started the run'),
  };
}

async function call(target, { body, id }) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', target.secret)
    .update(`${timestamp}.${body ?? id}`)
    .digest('hex');
  const response = await fetch(`${target.url}/webhook/ingress${id ? `/${id}` : ''}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      'x-signalbox-source': target.source,
      'x-signalbox-timestamp': timestamp,
      'x-signalbox-signature': `v1=${signature}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  const problem = `Signalbox answered ${response.status}. ${text}`;
  throw response.status === 429 || response.status >= 500 ? new Error(problem) : new Unusable(problem);
}

/** Repeats a call until it succeeds: a restart of Signalbox loses no request, because its id makes it the same one. */
async function insist(deadline, work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Unusable || Date.now() > deadline) throw error;
      tell(process.stderr, `waiting for Signalbox: ${error.message}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

async function main() {
  const target = {
    url: setting(['SIGNALBOX_URL'], 'the public address of the gateway').replace(/\/+$/, ''),
    source: setting(['SIGNALBOX_SOURCE'], 'the name of this program in the sources file'),
    secret: setting(['SIGNALBOX_SECRET'], 'the secret of that source'),
  };
  const gate = readGate();
  const minutes = Number(env.GATE_MINUTES ?? 60);
  if (!(minutes > 0)) throw new Unusable('GATE_MINUTES is not a number of minutes');
  const deadline = Date.now() + minutes * MINUTE_MS;
  const key = `gate:${gate.repository}:${gate.environment}:${gate.run}`.slice(0, 120).replace(/[^\x21-\x7e]/g, '_');
  const { id } = await insist(deadline, () => call(target, { body: JSON.stringify({ gate, id: key }) }));
  tell(process.stdout, `${gate.repository} asks to deploy ${gate.commit} to ${gate.environment} (${id})`);
  for (let said = 0; ;) {
    const answer = await insist(deadline, () => call(target, { id }));
    for (const { text } of answer.messages.slice(said)) tell(process.stdout, text);
    said = Math.max(said, answer.messages.length);
    if (answer.gate !== 'waiting') return answer.gate;
    if (Date.now() > deadline) return 'no decision in time';
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

try {
  const outcome = await main();
  tell(process.stdout, `gate: ${outcome}`);
  process.exitCode = outcome === 'approved' ? 0 : 1;
} catch (error) {
  tell(process.stderr, `gate: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
