import { z } from 'zod';
import { AgentClass } from '../governance/action.ts';

const WorkspaceName = z.string().regex(/^(project|thread)-[A-Za-z0-9][A-Za-z0-9_-]{0,119}$/);

/** Returns the workspace name of a project or conversation; characters that a folder name may not have become hyphens. */
export function toWorkspaceName(kind: 'project' | 'thread', name: string): string {
  return `${kind}-${name.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`;
}

/** Maximum length of a path within a workspace, in characters. */
export const MAX_PATH_LENGTH = 1_000;
/** Maximum length of a text that is written, in characters. */
export const MAX_WRITE_LENGTH = 500_000;
/** Maximum run time of a command, in milliseconds. */
export const MAX_COMMAND_MS = 5 * 60_000;

const Path = z.string().max(MAX_PATH_LENGTH);

/** Workspace and actor: fields of the payload of every workspace job. */
export const WorkspaceContext = z.object({
  workspace: WorkspaceName,
  /** Class that selects the file and network bounds: see agent-bounds.ts. */
  bounds: AgentClass.or(z.literal('PERSON')),
  actor: z.string().min(1).max(120),
  threadId: z.string().max(160).nullable(),
  actionId: z.string().min(1).max(160),
});
export type WorkspaceContext = z.infer<typeof WorkspaceContext>;

/** Why a job refused to run: an error code of the catalog, and the fields of its sentence. */
export const JobRefusal = z.object({
  code: z.enum([
    'PATH_DENIED',
    'SANDBOX_MISSING',
    'DIFF_REFUSED',
    'WORKSPACE_FULL',
    'NOT_FOUND',
    'CONFLICT', // Code in stored results of older releases
    'PATH_UNSUITABLE',
    'WORKSPACE_BUSY',
    'WORKSPACE_DAMAGED',
    'TOOL_OUTCOME_UNKNOWN',
  ]),
  data: z.record(z.string(), z.string()),
});
export type JobRefusal = z.infer<typeof JobRefusal>;

const toRefusableResult = <S extends z.ZodType>(result: S) =>
  z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('refused'), refusal: JobRefusal }),
    z.object({ outcome: z.literal('done'), result }),
  ]);

/** Whether commands are confined where they run: null, or the sentence that explains why not. `programs`: interpreters found there. */
export const ConfinementResult = z.object({ problem: z.string().nullable(), programs: z.array(z.string()) });

export const RunCommandPayload = WorkspaceContext.extend({
  command: z.discriminatedUnion('kind', [
    /** Commands joined by pipes, executed without a shell. */
    z.object({ kind: z.literal('argv'), pipeline: z.array(z.array(z.string()).min(1)).min(1).max(20) }),
    /** A shell script that a person has approved. */
    z.object({ kind: z.literal('shell'), script: z.string().min(1).max(20_000) }),
  ]),
  cwd: Path,
  deadlineMs: z.int().min(100).max(MAX_COMMAND_MS),
});
export const RunCommandResult = toRefusableResult(
  z.object({
    exitCode: z.int(),
    killed: z.enum(['deadline', 'memory', 'processes', 'workspace', 'disk']).nullable(),
    output: z.string(),
    cut: z.boolean(),
    durationMs: z.number(),
    /** With exit code 127, a program that is not there: the interpreters that are. */
    programs: z.array(z.string()).optional(),
  }),
);

/** Request to read a part of a file. Lines count from 1. */
export const ReadPayload = WorkspaceContext.extend({
  path: Path,
  fromLine: z.int().min(1),
  lines: z.int().min(1).max(2_000),
});
export const ReadResult = toRefusableResult(
  z.object({ path: z.string(), text: z.string(), fromLine: z.int(), totalLines: z.int(), sizeBytes: z.int() }),
);

export const ListPayload = WorkspaceContext.extend({ path: Path, depth: z.int().min(1).max(10) });
export const ListResult = toRefusableResult(
  z.object({
    path: z.string(),
    entries: z.array(
      z.object({ path: z.string(), kind: z.enum(['file', 'folder', 'link', 'other']), sizeBytes: z.int().nullable() }),
    ),
    /** True when the list of entries is incomplete. */
    cut: z.boolean(),
  }),
);

export const WritePayload = WorkspaceContext.extend({ path: Path, content: z.string().max(MAX_WRITE_LENGTH) });
export const WriteResult = toRefusableResult(z.object({ path: z.string(), sizeBytes: z.int(), created: z.boolean() }));

/** Folder of a conversation's workspace for the files that its person sent. */
export const ATTACHMENTS_FOLDER = 'attachments';

/** The bytes wait under `handed`: see handed-files.ts. `name` is plain. */
export const AttachPayload = WorkspaceContext.extend({
  handed: z.string().min(1).max(200),
  name: z.string().min(1).max(255),
});
export const AttachResult = toRefusableResult(z.object({ path: z.string(), sizeBytes: z.int() }));

export const ApplyDiffPayload = WorkspaceContext.extend({ diff: z.string().min(1).max(MAX_WRITE_LENGTH) });
export const ApplyDiffResult = toRefusableResult(
  z.object({
    files: z.array(
      z.object({
        path: z.string(),
        change: z.enum(['created', 'changed', 'deleted']),
        added: z.int(),
        removed: z.int(),
      }),
    ),
  }),
);
