#!/usr/bin/env node
/*
 * Asks people in a chat whether this pipeline may deploy, and waits for their decision. Node 18 or later, no packages.
 * Exit code 0: approved. 1: refused, expired, or no decision in time. 2: the request is wrong or could not be made.
 * docs/gates.md describes the variables. `signalbox gate` runs the same program.
 */
import { createHmac } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const POLL_MS = 3_000;
const REQUEST_MS = 30_000;
const MINUTE_MS = 60_000;

/** A problem that waiting does not solve. */
class Unusable extends Error {}

/** Reads the first of these variables that is set. */
const readSetting = (env, names, what) => {
  const name = names.find((one) => (env[one] ?? '') !== '');
  if (name === undefined) throw new Unusable(`${names[0]} is not set: ${what}`);
  return env[name];
};

/** Reads the request from variables of our own, else from those of GitHub and GitLab. */
function readGate(env) {
  const setting = (names, what) => readSetting(env, names, what);
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

/**
 * The token with which the forge of this job proves who asks: of GitHub for a job with `permissions: { id-token: write }`, of GitLab from
 * `id_tokens`. Null when the job has none, or gets none: then nobody proves who asks.
 */
async function fetchToken(env, audience, warn) {
  if (env.SIGNALBOX_ID_TOKEN) return env.SIGNALBOX_ID_TOKEN;
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } = env;
  if (!url || !bearer) return null;
  try {
    const response = await fetch(`${url}&audience=${encodeURIComponent(audience)}`, {
      headers: { authorization: `Bearer ${bearer}` },
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    if (!response.ok) throw new Error(`GitHub answered ${response.status}`);
    return (await response.json()).value ?? null;
  } catch (error) {
    warn(`no token of this job: ${error.message}`);
    return null;
  }
}

/** Repeats a call until it succeeds: a restart of Signalbox loses no request, because its id makes it the same one. */
async function insist(deadline, warn, work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Unusable || Date.now() > deadline) throw error;
      warn(`waiting for Signalbox: ${error.message}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

/** Asks, waits, and returns what was decided. */
async function decide(env, { out, warn }) {
  const target = {
    url: readSetting(env, ['SIGNALBOX_URL'], 'the public address of the gateway').replace(/\/+$/, ''),
    source: readSetting(env, ['SIGNALBOX_SOURCE'], 'the name of this program in the sources file'),
    secret: readSetting(env, ['SIGNALBOX_SECRET'], 'the secret of that source'),
  };
  const gate = readGate(env);
  const minutes = Number(env.GATE_MINUTES || 60);
  if (!(minutes > 0)) throw new Unusable('GATE_MINUTES is not a number of minutes');
  const deadline = Date.now() + minutes * MINUTE_MS;
  const key = `gate:${gate.repository}:${gate.environment}:${gate.run}`.slice(0, 120).replace(/[^\x21-\x7e]/g, '_');
  const { id } = await insist(deadline, warn, async () => {
    const token = await fetchToken(env, target.url, warn);
    return call(target, { body: JSON.stringify({ gate, id: key, ...(token ? { token } : {}) }) });
  });
  out(`${gate.repository} asks to deploy ${gate.commit} to ${gate.environment} (${id})`);
  for (let said = 0; ;) {
    const answer = await insist(deadline, warn, () => call(target, { id }));
    for (const { text } of answer.messages.slice(said)) out(text);
    said = Math.max(said, answer.messages.length);
    if (answer.gate !== 'waiting') return answer.gate;
    if (Date.now() > deadline) return 'no decision in time';
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Runs the gate with these variables. Returns the exit code; `out` and `warn` take lines. */
export async function runGate(env, { out, warn }) {
  try {
    const outcome = await decide(env, { out, warn });
    out(`gate: ${outcome}`);
    return outcome === 'approved' ? 0 : 1;
  } catch (error) {
    warn(`gate: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  process.exitCode = await runGate(process.env, {
    out: (line) => void process.stdout.write(`${line}\n`),
    warn: (line) => void process.stderr.write(`${line}\n`),
  });
