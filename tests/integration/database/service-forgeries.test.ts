import type { ServiceWithLogin } from '@signalbox/store/migrations/service-rights';
import pg from 'pg';
import { expect, it } from 'vitest';
import {
  ADA,
  BEN,
  CHECKPOINT,
  ORDER,
  WORDS,
  approve,
  as,
  decision,
  end,
  incident,
  message,
  owner,
  run,
  said,
  useScene,
  words,
} from './forgery-scene.ts';

useScene();

type Case = readonly [ServiceWithLogin, string, string];
const gone = decision('apv_gone', 'expired');

const MAINTENANCE: readonly (readonly [string, string])[] = [
  ['write as an admin', message({ ...said, ...ADA }, ORDER)],
  [
    'tell a lane that a request was approved',
    message({ ...decision('apv_open', 'approved').row, ...BEN }, decision('apv_open', 'approved').says),
  ],
  [
    'tell a lane of the end of an open request',
    message({ ...decision('apv_open', 'expired').row, ...BEN }, decision('apv_open', 'expired').says),
  ],
  ['tell another lane of an end', message({ ...gone.row, ...ADA }, gone.says)],
  ['put an order into the news of an end', message({ ...gone.row, ...BEN }, { ...gone.says, ...ORDER })],
  [
    'put another outcome into the news of an end',
    message({ ...gone.row, ...BEN }, { ...gone.says, outcome: 'approved' }),
  ],
  ['change what somebody wrote', `update inbox set envelope = envelope || '{"text": "deploy"}'`],
  ['settle what somebody wrote', `update inbox set outcome = 'stopped'`],
  ['approve', `update approvals set status = 'approved', decided_by = 'Ada' where approval_id = 'apv_open'`],
  ['end a request before its time', `update approvals set status = 'expired' where approval_id = 'apv_open'`],
  ['end a request whose chat hears us', `update approvals set status = 'void' where approval_id = 'apv_over'`],
  [
    'end a request in the name of a person',
    `update approvals set status = 'expired', decided_by = 'Ada' where approval_id = 'apv_over'`,
  ],
  ['open a request again', `update approvals set status = 'pending' where approval_id = 'apv_gone'`],
  ['give a request more time', `update approvals set expires_at = now() + interval '1 day'`],
  ['begin an action', `update actions set status = 'started' where action_id = 'act_open'`],
  ['end an action whose request is open', `update actions set status = 'expired' where action_id = 'act_open'`],
  ['say that an action is done', `update actions set status = 'done'`],
  ['write into the chat of an admin', words('hello', 'telegram:1001', null)],
  ['write into the chat of an admin as a reminder', words('apv_open:remind:telegram:1001', 'telegram:1001', null)],
  ['put a card into the chat of a stranger', words('apv_open:x', 'telegram:666', 'apv_open')],
  ['put the card of an ended request into the chat of an admin', words('apv_gone:x', 'telegram:1001', 'apv_gone')],
  ['hide a button of another request in a card', words('apv_gone:y', 'telegram:1002', 'apv_gone', approve('apv_open'))],
  [
    'send the code of a challenge',
    words('apv_open:z', 'telegram:1002', 'apv_open', { code: { challengeId: 'chl_1' } }),
  ],
  ['tell an admin of a fault that there is not', words('fault:1:open:telegram:1001', 'telegram:1001', null)],
  ['tell somebody else of a fault', words('fault:7:open:telegram:1002', 'telegram:1002', null)],
  ['tell of the end of an open conversation', words('expired:thr_ben', 'telegram:1002', null)],
  ['write as the audit', words('audit:log:5', 'telegram:1001', null)],
  [
    'write words of its own as the audit',
    words('audit:log:5', 'telegram:1001', null, { text: `${CHECKPOINT}{"please": "send me your code"}\n\`\`\`` }),
  ],
  [
    'write words without a space as a checkpoint that there is not',
    words('audit:log:6', 'telegram:1002', null, { text: `${CHECKPOINT}{"please":"send-me-your-code"}\n\`\`\`` }),
  ],
  ['give a conversation to another person', `update threads set user_key = '1001'`],
  ['drop messages of a person', `update lanes set stop_before = 1000`],
  ['close a chat', `insert into chats (chat_key, parked_at) values ('telegram:1001', now())`],
  [
    'call somebody’s message dead',
    `insert into dead_letters (id, source, ref, reason, body) values ('dlq_1', 'inbound', '1', 'x', '{}')`,
  ],
];

/** Of a pool that has this run of Ben, and nothing else to do with people. */
const ofPool = (own: string): readonly (readonly [string, string])[] => [
  ['write as an admin', message({ ...said, ...ADA }, ORDER)],
  [
    'put an order of its person into the end of its run',
    message({ ...end(own).row, ...BEN }, { ...end(own).says, ...ORDER }),
  ],
  [
    'put an order of an admin into the end of its run',
    message({ ...end(own).row, ...BEN }, { ...end(own).says, ...ORDER, ...ADA }),
  ],
  [
    'end its run in another conversation',
    message({ ...end(own).row, ...BEN }, { ...end(own).says, threadId: 'thr_other' }),
  ],
  ['end its run in another chat', message({ ...end(own).row, ...BEN, chatKey: 'telegram:1001' }, end(own).says)],
  ['end another run with its own', message({ ...end(own).row, ...BEN }, { ...end(own).says, runId: 'act_admin' })],
  ['decide', message({ ...decision('apv_open', 'approved').row, ...BEN }, decision('apv_open', 'approved').says)],
  ['write into the chat of an admin', words(`${own}/x`, 'telegram:1001', null)],
  [
    'put a button that approves under the words of its run',
    words(`${own}/x`, 'telegram:1002', null, approve('apv_open')),
  ],
  ['write over the card of a request', words(`${own}/x`, 'telegram:1002', 'apv_open')],
  ['send the code of a challenge', words(`${own}/x`, 'telegram:1002', null, { code: { challengeId: 'chl_1' } })],
  ['draw a receipt', words(`${own}/x`, 'telegram:1002', null, { receipts: [{ what: 'Deployed', note: '' }] })],
  ['send a file of somebody', words(`${own}/x`, 'telegram:1002', null, { files: [{ artifactId: 'a', name: 'b' }] })],
  ['close a chat', `insert into chats (chat_key, parked_at) values ('telegram:1001', now())`],
];

const REQUEST = `insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role,
  solo, authors, card, expires_at, decided_by) values ('apv_new', 'act_deploy', '1002', 'telegram:1002', 'thr_ben', 'turn_1', 't', '', '', '', 1,
  'operator', false, '{}', '{}', now() + interval '1 hour', 'Ada')`;

/** What admins are told of as a fault of ours. */
const FAULTS: readonly Case[] = [
  ['deploy', 'say that something of ours is broken', incident('signalbox', 'audit-unwritten')],
  ['deploy', 'say it of a kind that there is not', incident('signalbox', 'note')],
  [
    'deploy',
    'make an incident of its own one of ours',
    `update incidents set subject = 'signalbox' where incident_id = 8`,
  ],
  [
    'deploy',
    'change what is said of a fault of ours',
    `update incidents set detail = '${WORDS}' where incident_id = 7`,
  ],
  ['deploy', 'end a fault of ours', `update incidents set closed_at = now() where incident_id = 7`],
  ['gateway', 'say what another service has to say', incident('signalbox', 'redis-full:x')],
  ['gateway', 'say it of a kind that there is not', incident('signalbox', 'note')],
  ['gateway', 'say it at length', incident('signalbox', 'channel-refused:web', WORDS.repeat(100))],
  ['gateway', 'open an incident of a service', incident('service:shop/staging', 'slow')],
  ['gateway', 'end an incident of a service', `update incidents set closed_at = now() where incident_id = 8`],
  ['maintenance', 'say that a channel is refused', incident('signalbox', 'channel-refused:web')],
  ['maintenance', 'say it of a kind that there is not', incident('signalbox', 'note')],
  ['maintenance', 'say it at length', incident('signalbox', 'audit-unwritten', WORDS.repeat(100))],
  ['maintenance', 'open an incident of a service', incident('service:shop/staging', 'slow')],
  [
    'maintenance',
    'write news of an incident',
    `update incidents set news = '{"say": "${WORDS}"}' where incident_id = 7`,
  ],
  ['maintenance', 'change what is said of a fault', `update incidents set detail = '${WORDS}' where incident_id = 7`],
  ['worker', 'say that something of ours is broken', incident('signalbox', 'audit-unwritten')],
  ['worker', 'end a fault of ours', `update incidents set closed_at = now() where incident_id = 7`],
  ['agents', 'say that something of ours is broken', incident('signalbox', 'audit-unwritten')],
  ['analysis', 'say that something of ours is broken', incident('signalbox', 'audit-unwritten')],
];

const CASES: readonly Case[] = [
  ...FAULTS,
  ...ofPool('run_index').map(([what, sql]): Case => ['maintenance', what, sql]),
  [
    'maintenance',
    'tell the end of a run of another pool',
    message({ ...end('act_agents').row, ...BEN }, end('act_agents').says),
  ],
  ['maintenance', 'speak for a run of another pool', words('act_agents/x', 'telegram:1002', null)],
  ...MAINTENANCE.map(([what, sql]): Case => ['maintenance', what, sql]),
  ...ofPool('act_agents').map(([what, sql]): Case => ['agents', what, sql]),
  ...ofPool('act_deploy').map(([what, sql]): Case => ['deploy', what, sql]),
  [
    'agents',
    'write the card of an open request anew, whose action it takes for a run of its own',
    `insert into runs (run_id, job, payload, trace_id) values ('act_open', 'workspace.run', '{}', 't');
     ${words('apv_open:x', 'telegram:1002', 'apv_open', approve('apv_open'))}`,
  ],
  ['deploy', 'make a run that an admin hears of', run('act_new', {}, ADA)],
  ['deploy', 'make a run about the command of an admin', run('act_new', { deploymentId: 'act_admin' }, ADA)],
  [
    'deploy',
    'give its run to an admin',
    `update runs set user_key = '1001', chat_key = 'telegram:1001' where run_id = 'act_deploy'`,
  ],
  [
    'deploy',
    'put an order into an incident',
    message({ channel: 'system', bot: 'incidents', updateId: 'inc_1:opened', kind: 'incident', ...ADA }, ORDER),
  ],
  ['worker', 'write as an admin', message({ ...said, ...ADA }, ORDER)],
  ['worker', 'put an order into a message of the product', message({ ...end('act_deploy').row, ...ADA }, ORDER)],
  [
    'worker',
    'decide in the name of a person',
    message({ ...decision('apv_open', 'approved').row, ...BEN }, decision('apv_open', 'approved').says),
  ],
  ['worker', 'change what somebody wrote', `update inbox set envelope = envelope || '{"text": "deploy"}'`],
  ['worker', 'change who wrote something', `update inbox set user_key = '1001'`],
  ['worker', 'approve', `update approvals set status = 'approved' where approval_id = 'apv_open'`],
  [
    'worker',
    'name who approved',
    `update approvals set decided_by = 'Ada', status = 'consumed' where approval_id = 'apv_open'`,
  ],
  ['worker', 'use up what nobody approved', `update approvals set status = 'consumed' where approval_id = 'apv_open'`],
  ['worker', 'use up what was rejected', `update approvals set status = 'consumed' where approval_id = 'apv_refused'`],
  [
    'worker',
    'change why something was refused',
    `update approvals set reason = 'Ada said yes' where approval_id = 'apv_refused'`,
  ],
  ['worker', 'change what a person reads before they approve', `update approvals set card = '{"what": "nothing"}'`],
  ['worker', 'let another role approve', `update approvals set role = 'viewer', needed = 1`],
  ['worker', 'give a request more time', `update approvals set expires_at = now() + interval '1 day'`],
  ['worker', 'ask in such a way that it is decided', REQUEST],
  [
    'worker',
    'give a grant',
    `insert into grants (grant_id, user_key, tool, match, given_by, uses_left, max_uses, expires_at)
     values ('g', '1002', 'trigger_deploy', '{}', 'Ada', 1, 1, now() + interval '1 hour')`,
  ],
  ...[
    `user_key = '1001'`,
    `match = '{}'`,
    `tool = 'run_command'`,
    `given_by = 'Ada'`,
    `place = '{}'`,
    'max_uses = 9',
    'uses_left = uses_left + 1',
    `expires_at = now() + interval '1 year'`,
    'revoked_at = null',
  ].map((set): Case => ['worker', `widen a grant: ${set}`, `update grants set ${set}`]),
  ['worker', 'reject', `update approvals set status = 'rejected' where approval_id = 'apv_open'`],
  [
    'worker',
    'say that something was delivered',
    `insert into outbox (key, chat_key, trace_id, priority, body, status) values ('k', 'c', 't', 0, '{}', 'sent')`,
  ],
  ['gateway', 'begin an action', `update actions set status = 'started'`],
  [
    'gateway',
    'end an action whose request is open',
    `update actions set status = 'rejected' where action_id = 'act_open'`,
  ],
  ['gateway', 'change the work of a run', `update runs set payload = '{}'`],
  ['gateway', 'give a run to somebody', `update runs set user_key = '1001'`],
];

/** All that is said and decided, as one value. */
const everything = async (): Promise<unknown> => {
  const tables = [
    'inbox',
    'outbox',
    'approvals',
    'actions',
    'runs',
    'threads',
    'lanes',
    'chats',
    'dead_letters',
    'incidents',
    'grants',
  ];
  const parts = tables.map((table) => `(select json_agg(t order by t::text) from ${table} t) as ${table}`);
  return (await owner.query(`select ${parts.join(', ')}`)).rows;
};

it.each(CASES)('the login of %s cannot %s', async (service, _what, statement) => {
  const before = await everything();
  const answer = await as(service)
    .query(statement)
    .then(
      () => 'no row',
      (error: unknown) => (error instanceof pg.DatabaseError ? error.code : error),
    );
  expect(['no row', '42501']).toContain(answer);
  expect(await everything()).toEqual(before);
});
