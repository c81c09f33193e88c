import type { VNode } from 'preact';
import { say } from '../say.ts';
import { Icon } from '@signalbox/page-kit/icons';

/** Stands in the place of a component that cannot be shown: nothing that was sent goes missing unseen. */
export function ErrorBox({ type, why }: { readonly type: string; readonly why: 'unknown' | 'broken' }): VNode {
  return (
    <div class="card notice error" role="note">
      <Icon name="warning" />
      <p class="text" dir="auto">
        {say(`page.${why}-part`, { type })}
      </p>
    </div>
  );
}
