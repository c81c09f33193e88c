import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { listApproverChats } from '@signalbox/store/governance/approvals';
import { appendAudit } from '@signalbox/store/audit/audit';
import { putLocalized } from '@signalbox/store/conversation/outbox';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findValue, hasRow } from '@signalbox/store/sql';
import { sayError } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import { openPolicies, type Policies, type PolicyChange } from '@signalbox/platform/open-policies';
import { listPolicyFolders, type PolicyConfig } from '@signalbox/safety/policy/settings';

interface PolicyParts {
  readonly config: PolicyConfig;
  readonly folders: readonly string[];
  readonly pool: Pool;
  readonly log: Log;
  notify(chatKey: string, traceId: string): Promise<void>;
}

/** Stores every policy set in use for replay, audits each change once across workers, and notifies admins of a refused set. */
export async function openWorkerPolicies({ config, folders, pool, log, notify }: PolicyParts): Promise<Policies> {
  const keep = async (): Promise<void> => {
    const { engine, files } = policies.currentSet();
    await withTransaction(pool, async (db) => {
      const isNew = await putPolicySet(db, engine.version, files);
      if (isNew) await appendAudit(db, [event('policy.loaded', engine.version, {})]);
    });
  };
  const page = async (change: Extract<PolicyChange, { kind: 'refused' }>): Promise<void> => {
    const ref = change.version ?? 'unreadable';
    const chats: string[] = [];
    await withTransaction(pool, async (db) => {
      const admins = await listApproverChats(db, 'admin', []);
      const rows = await putLocalized(
        db,
        admins.map(({ chatKey }) => chatKey),
        (chatKey) => ({
          key: `policy:${ref}:${chatKey}`,
          chatKey,
          userKey: admins.find((admin) => admin.chatKey === chatKey)?.userKey ?? null,
          traceId: `policy_${ref.slice(0, 12)}`,
          priority: SEND_PRIORITY.control,
          body: { text: sayError('POLICY_REFUSED', { detail: change.detail }), buttons: [] },
        }),
      );
      chats.push(...rows.map((row) => row.chatKey));
      // Of several workers, the one that stored the message also audits the change.
      if (rows.length > 0 || admins.length === 0)
        await appendAudit(db, [event('policy.refused', change.version, { detail: change.detail.slice(0, 4_000) })]);
    });
    for (const chatKey of chats) await notify(chatKey, `policy_${ref.slice(0, 12)}`);
  };
  const policies = await openPolicies({
    folders: listPolicyFolders(config.POLICY_DIR, folders),
    timeZone: config.POLICY_TIME_ZONE,
    log,
    onChange: (change) => (change.kind === 'loaded' ? keep() : page(change)),
  });
  await keep();
  return policies;
}

function event(kind: AuditEvent['kind'], policyVersion: string | null, data: AuditEvent['data']): AuditEvent {
  return { kind, actor: 'system', policyVersion, data };
}

export interface StoredPolicyFile {
  readonly name: string;
  readonly text: string;
}

/** Stores the files of a policy set by version. False when already stored. */
async function putPolicySet(db: Queryable, version: string, files: readonly StoredPolicyFile[]): Promise<boolean> {
  return hasRow(db)`insert into policy_sets (version, files)
      values (${version}, ${JSON.stringify(files)}::jsonb) on conflict do nothing`;
}

/** Finds the files of a policy set by version; null when the set was never in use. */
export async function findPolicySet(db: Queryable, version: string): Promise<readonly StoredPolicyFile[] | null> {
  return findValue<StoredPolicyFile[]>(db)`select files from policy_sets
      where version = ${version}`;
}
