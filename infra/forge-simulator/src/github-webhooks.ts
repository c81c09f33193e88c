import { createHmac, randomUUID } from 'node:crypto';
import type { Login, SimulatedRun } from './runs.ts';

export interface WebhookTarget {
  readonly url: string;
  readonly secret: string;
}

/** The event of a deployment that a protection rule holds back, in the shape that GitHub sends. */
export function describeRequest(run: SimulatedRun, api: string): object {
  const { repository, environment, deployment, commit: sha, ref, starter, actor, id } = run;
  const [owner = '', name = ''] = repository.full_name.split('/');
  return {
    action: 'requested',
    environment,
    event: 'workflow_dispatch',
    deployment_callback_url: `${api}/repos/${repository.full_name}/actions/runs/${id}/deployment_protection_rule`,
    deployment: { id: deployment, environment, sha, ref, task: 'deploy', creator: actor },
    pull_requests: [],
    sha,
    ref,
    repository: { ...repository, name, owner: { login: owner } },
    sender: starter,
    installation: { id: 119_022_551 },
  };
}

/** The event of a comment on an issue. */
export function describeComment(sender: Login, text: string, repository: string): object {
  const [owner = '', name = ''] = repository.split('/');
  return {
    action: 'created',
    issue: { number: 1, title: 'Accounts', user: sender },
    comment: { id: 1, body: text, user: sender },
    repository: { id: 1, full_name: repository, name, owner: { login: owner } },
    sender,
    installation: { id: 119_022_551 },
  };
}

/** Sends a webhook as GitHub does, signed, and returns the status of the answer. */
export async function sendWebhook({ url, secret }: WebhookTarget, event: string, body: object): Promise<number> {
  const text = JSON.stringify(body);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/simulator',
      'x-github-event': event,
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
    },
    body: text,
  });
  await response.text();
  return response.status;
}
