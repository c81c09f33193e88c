import type { OwnRequest } from '@signalbox/store/governance/own-requests';

/** What became of what people asked for. */
export interface Requests {
  /** The newest requests of a person that were more than a read: those of this conversation first, then the others. */
  own(of: { readonly userKey: string; readonly threadId: string }, limit: number): Promise<readonly OwnRequest[]>;
  /** What an action is called on its card and receipt, in the language of whoever reads it. */
  titleOf(action: Pick<OwnRequest, 'tool' | 'arguments'>): string;
}
