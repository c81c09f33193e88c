import { isRecord, readText, readTime, type DecodeAlarms, type Decoded } from '../alarm.ts';

type Json = Readonly<Record<string, unknown>>;

const FAILED: ReadonlySet<unknown> = new Set(['failure', 'timed_out', 'startup_failure', 'error']);
const FOR_REVIEW: ReadonlySet<unknown> = new Set(['pull_request', 'pull_request_target', 'merge_group']);

/**
 * Decodes webhooks of GitHub: https://docs.github.com/webhooks/webhook-events-and-payloads. An alarm is a workflow or check that fails on
 * the default branch, or a deployment that fails; the next success of the same one ends it.
 */
export const decodeGithub: DecodeAlarms = (body, { headers }) => {
  if (!isRecord(body)) return null;
  const repository = isRecord(body['repository']) ? body['repository'] : {};
  const about = { body, repository, name: readText(repository['full_name']) ?? '' };
  // A deployment names the run that made it, so the deployment is looked for first.
  if (isRecord(body['deployment_status'])) return decodeDeployment(body['deployment_status'], about);
  if (isRecord(body['workflow_run'])) return decodeRun(body['workflow_run'], about);
  if (isRecord(body['check_suite'])) return decodeSuite(body['check_suite'], about);
  const event = readText(headers['x-github-event']);
  return event === null && about.name === '' ? null : { ignored: event ?? 'event' };
};

interface About {
  readonly body: Json;
  readonly repository: Json;
  readonly name: string;
}

function decodeRun(run: Json, about: About): Decoded {
  const name = readText(run['name']) ?? readText(run['path']) ?? 'workflow';
  // Runs of older attempts and commits end in any order; the one that began last says how the branch is.
  const at = readTime(run['run_started_at']) ?? readTime(run['created_at']);
  if (about.body['action'] !== 'completed') return { ignored: 'not completed' };
  if (FOR_REVIEW.has(run['event'])) return { ignored: 'pull request' };
  const commit = isRecord(run['head_commit']) ? readText(run['head_commit']['message']) : null;
  return toDecoded(about, {
    kind: 'workflow',
    name,
    result: run['conclusion'],
    branch: readText(run['head_branch']),
    text: commit,
    link: readText(run['html_url']),
    at,
  });
}

function decodeSuite(suite: Json, about: About): Decoded {
  const app = isRecord(suite['app']) ? suite['app'] : {};
  if (about.body['action'] !== 'completed') return { ignored: 'not completed' };
  // The workflows of this suite report themselves.
  if (app['slug'] === 'github-actions') return { ignored: 'told by workflow_run' };
  return toDecoded(about, {
    kind: 'checks',
    name: readText(app['name']) ?? 'checks',
    result: suite['conclusion'],
    branch: readText(suite['head_branch']),
    text: null,
    link: readText(suite['url']),
    at: readTime(suite['created_at']),
  });
}

function decodeDeployment(status: Json, about: About): Decoded {
  const deployment = isRecord(about.body['deployment']) ? about.body['deployment'] : {};
  const environment = readText(status['environment']) ?? readText(deployment['environment']) ?? '';
  return toDecoded(about, {
    kind: 'deployment',
    name: environment,
    result: status['state'],
    branch: null,
    text: readText(status['description']),
    link: readText(status['log_url']) ?? readText(status['target_url']),
    at: readTime(status['created_at']),
    environment,
  });
}

function toDecoded(
  { repository, name: repositoryName }: About,
  found: {
    readonly kind: string;
    readonly name: string;
    readonly result: unknown;
    readonly branch: string | null;
    readonly text: string | null;
    readonly link: string | null;
    readonly at: Date | null;
    readonly environment?: string;
  },
): Decoded {
  const { kind, name, result, branch, text, link, at, environment } = found;
  const main = readText(repository['default_branch']);
  if (branch !== null && main !== null && branch !== main) return { ignored: 'other branch' };
  const isFiring = FAILED.has(result);
  if (!isFiring && result !== 'success') return { ignored: 'no failure' };
  return {
    alarms: [
      {
        key: JSON.stringify([kind, repositoryName, name, branch]),
        isFiring,
        title: [repositoryName, name, branch, String(result)]
          .filter((part) => part !== null && part !== '')
          .join(' · '),
        text,
        link,
        severity: null,
        startedAt: isFiring ? at : null,
        endedAt: isFiring ? null : at,
        labels: {
          repository: repositoryName,
          project: readText(repository['name']) ?? '',
          [kind]: name,
          ...(branch === null ? {} : { branch }),
          ...(environment === undefined ? {} : { environment }),
        },
      },
    ],
  };
}
