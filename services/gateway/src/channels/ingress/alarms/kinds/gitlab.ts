import { isRecord, readText, readTime, type DecodeAlarms } from '../alarm.ts';

/**
 * Decodes webhooks of GitLab: https://docs.gitlab.com/user/project/integrations/webhook_events/. An alarm is a pipeline that fails on the
 * default branch or for a tag, or a deployment that fails; the next success of the same one ends it.
 */
export const decodeGitlab: DecodeAlarms = (body, { headers }) => {
  if (!isRecord(body)) return null;
  const kind = readText(body['object_kind']);
  if (kind === null) return readText(headers['x-gitlab-event']) === null ? null : { ignored: 'event' };
  if (kind !== 'pipeline' && kind !== 'deployment') return { ignored: kind };
  const project = isRecord(body['project']) ? body['project'] : {};
  const run = kind === 'pipeline' && isRecord(body['object_attributes']) ? body['object_attributes'] : body;
  const ref = readText(run['ref']);
  const main = readText(project['default_branch']);
  if (run['source'] === 'merge_request_event') return { ignored: 'merge request' };
  if (kind === 'pipeline' && run['tag'] !== true && main !== null && ref !== main) return { ignored: 'other branch' };
  const status = run['status'];
  if (status !== 'failed' && status !== 'success') return { ignored: 'no failure' };
  const isFiring = status === 'failed';
  const name = readText(project['path_with_namespace']) ?? readText(project['name']) ?? '';
  const environment = kind === 'deployment' ? readText(body['environment']) : null;
  const commit = isRecord(body['commit']) ? readText(body['commit']['title']) : readText(body['commit_title']);
  const at = readTime(kind === 'deployment' ? run['status_changed_at'] : run['created_at']);
  return {
    alarms: [
      {
        key: JSON.stringify([kind, name, environment ?? ref]),
        isFiring,
        title: [name, kind, environment ?? ref, status].filter((part) => part !== null && part !== '').join(' · '),
        text: commit,
        link: readText(run['url']) ?? readText(body['deployable_url']) ?? readText(project['web_url']),
        severity: null,
        startedAt: isFiring ? at : null,
        endedAt: isFiring ? null : at,
        labels: {
          repository: name,
          project: name.split('/').at(-1) ?? '',
          ...(ref === null ? {} : { branch: ref }),
          ...(environment === null ? {} : { environment }),
        },
      },
    ],
  };
};
