import type { VNode } from 'preact';
import { say } from '../say.ts';
import { Icon } from '@signalbox/page-kit/icons';

/** Stands for a component that cannot be shown, so that nothing sent goes unnoticed. */
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
