import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { say } from '../say.ts';
import { CommandText } from '../text/command-text.tsx';
import { Icon } from '@signalbox/page-kit/icons';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

/** The runtime's receipts, which no agent's text can imitate. */
export function ReceiptList({ receipts }: ComponentProps<'Receipts'>): VNode {
  return (
    <ul class="receipts" aria-label={say('page.receipts')}>
      {receipts.map(({ what, note }, place) => (
        <li key={place}>
          <Icon name="receipt" />
          <span dir="auto">
            <strong>{what}</strong>
            {note !== '' && (
              <span class="note">
                {' · '}
                <CommandText text={note} />
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Receipts({ props }: ViewProps<ComponentProps<'Receipts'>>): VNode {
  return (
    <div class="card">
      <ReceiptList receipts={props.receipts} />
    </div>
  );
}

export const drawReceipts = createRenderer(PAGE_COMPONENTS.Receipts, Receipts);
