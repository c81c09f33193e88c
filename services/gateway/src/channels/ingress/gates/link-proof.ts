import { FORGE_NAMES, toForgeAccount, type GateForge } from '@signalbox/contracts/operations/gate';
import { newTraceId } from '@signalbox/contracts/ids';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { putLocalized } from '@signalbox/store/conversation/outbox';
import { useForgeCode } from '@signalbox/store/people/forge-links';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import { z } from 'zod';

/** A new comment at GitHub: https://docs.github.com/webhooks/webhook-events-and-payloads#issue_comment */
const GithubComment = z.object({
  action: z.literal('created'),
  comment: z.object({
    body: z.string(),
    user: z.object({ id: z.int().positive(), login: z.string().max(100), type: z.literal('User') }),
  }),
  issue: z.object({}),
  sender: z.object({ id: z.int() }),
});

/** A new comment at GitLab: https://docs.gitlab.com/user/project/integrations/webhook_events/#comment-events */
const GitlabComment = z.object({
  object_kind: z.literal('note'),
  user: z.object({ id: z.int().positive(), username: z.string().max(255) }),
  object_attributes: z.object({ note: z.string(), author_id: z.int(), action: z.literal('create').optional() }),
});

interface WrittenComment {
  readonly id: number;
  readonly login: string;
  readonly text: string;
}

const CODE = /\b[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\b/;

/** Looks for the code of a person in a new comment. Null when the webhook is no comment with a code. */
export async function takeLinkProof(
  pool: Pool,
  forge: GateForge,
  body: unknown,
): Promise<{ readonly linked: boolean } | null> {
  const comment = forge === 'github' ? readGithub(body) : readGitlab(body);
  const code = CODE.exec(comment?.text ?? '')?.[0];
  if (!comment || code === undefined) return null;
  const { id, login } = comment;
  return withTransaction(pool, async (db) => {
    const used = await useForgeCode(db, { forge, account: { id, login }, code });
    if (used === null) return { linked: false };
    const traceId = newTraceId();
    await putLocalized(db, [used.chatKey], (chatKey) => ({
      key: `forge-link:${traceId}`,
      chatKey,
      userKey: used.userKey,
      traceId,
      priority: SEND_PRIORITY.control,
      body: {
        text: say(used.outcome === 'linked' ? 'people.forge-linked' : 'people.forge-taken', {
          login: toPlainName(login),
          forge: FORGE_NAMES[forge],
          userKey: toForgeAccount(forge, id),
        }),
        buttons: [],
      },
    }));
    return { linked: used.outcome === 'linked' };
  });
}

function readGithub(body: unknown): WrittenComment | null {
  const { data } = GithubComment.safeParse(body);
  // Whoever edits or imports a comment is not its author.
  if (!data || data.sender.id !== data.comment.user.id) return null;
  return { id: data.comment.user.id, login: data.comment.user.login, text: data.comment.body };
}

function readGitlab(body: unknown): WrittenComment | null {
  const { data } = GitlabComment.safeParse(body);
  if (!data || data.object_attributes.author_id !== data.user.id) return null;
  return { id: data.user.id, login: data.user.username, text: data.object_attributes.note };
}
