import type { z } from 'zod';
import type { ThreadStates } from '../agents/agent.ts';
import type { GuidedStateUpdate } from './state.ts';
import type { GuidedSpec, ActionSpecs, StoredValues } from './spec.ts';

export type LoadedState =
  /** No state is stored, or the stored state has this release's version. */
  | { readonly kind: 'current' }
  | { readonly kind: 'migrated'; readonly update: GuidedStateUpdate }
  /** The stored state cannot be read and is left unchanged. `why`: the reason, for logs. */
  | { readonly kind: 'unreadable'; readonly why: unknown };

type Versioned<S extends z.ZodType, A extends ActionSpecs> = Pick<
  GuidedSpec<S, A>,
  'id' | 'stateVersion' | 'migrations' | 'domain'
>;

/** Reads a conversation's newest values. During a turn they come from memory, since a read through the graph would store them early. */
export async function readStoredValues(states: ThreadStates, threadId: string): Promise<StoredValues> {
  const known = states.newest(threadId);
  if (Object.keys(known).length > 0) return known;
  const tuple = await states.getTuple({ configurable: { thread_id: threadId, checkpoint_ns: '' } });
  return tuple?.checkpoint.channel_values ?? {};
}

/** Migrates stored values to this release's version, one step per version. Writes nothing. Pure. */
export function migrateState<S extends z.ZodType, A extends ActionSpecs>(
  spec: Versioned<S, A>,
  values: StoredValues,
): LoadedState {
  if (Object.keys(values).length === 0) return { kind: 'current' };
  try {
    const migrated = migrate(spec, values);
    const domain = (migrated['domain'] as StoredValues | undefined)?.[spec.id]; // the next line checks it
    const parsed = spec.domain.parse(domain);
    if (migrated === values) return { kind: 'current' };
    const { mode, device, transcript, ui, open, outside, borrowed } = migrated as GuidedStateUpdate; // LangGraph fills missing channels with defaults
    const kept = {
      mode,
      device,
      transcript,
      ui,
      open,
      outside,
      borrowed,
      domain: { [spec.id]: parsed },
      stateVersion: spec.stateVersion,
    };
    return { kind: 'migrated', update: Object.fromEntries(Object.entries(kept).filter(([, value]) => value != null)) };
  } catch (why) {
    return { kind: 'unreadable', why };
  }
}

/** Returns the same values when their version is current. Throws when a migration is missing or fails. */
function migrate<S extends z.ZodType, A extends ActionSpecs>(
  spec: Versioned<S, A>,
  values: StoredValues,
): StoredValues {
  let migrated = values;
  for (let version = versionOf(values); version !== spec.stateVersion; version += 1) {
    const steps = spec.migrations[version];
    if (!steps) throw new Error(`${spec.id} has no migration of states of version ${version} to ${spec.stateVersion}.`);
    for (const step of steps) migrated = step(migrated);
    migrated = { ...migrated, stateVersion: version + 1 };
  }
  return migrated;
}

function versionOf({ stateVersion }: StoredValues): number {
  if (typeof stateVersion !== 'number') throw new Error('The state does not say which version it has.');
  return stateVersion;
}
