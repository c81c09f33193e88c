import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { say } from '../say.ts';
import { Markdown } from '../text/markdown.tsx';
import { Icon } from '@signalbox/page-kit/icons';
import { TimeOfDay, formatDateTime } from '../theme/time.tsx';
import { Buttons } from './buttons.tsx';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

/** Characters shown of an approval's hash. */
const SHORT_HASH = 8;

/** The longest delay of browser timers is about 24 days. */
const LONGEST_TIMER_MS = 24 * 86_400_000;

/** An approval card with everything that the approval covers. Its buttons stay when it expires: the gateway checks each press. */
function Approval({ id, version, props }: ViewProps<ComponentProps<'Approval'>>): VNode {
  const { text, bound, at, language, hash, askedBy, expiresAt, buttons, pressed } = props;
  const isOver = useIsOver(expiresAt);
  return (
    <section class="card approval" aria-labelledby={`${id}-title`}>
      <header class="card-head">
        <Icon name="shield" />
        <h3 id={`${id}-title`}>{say('page.approval')}</h3>
        <TimeOfDay at={at} />
      </header>
      <Markdown text={text} language={language} />
      <dl class="facts">
        {askedBy !== null && (
          <>
            <dt>{say('page.asked-by')}</dt>
            <dd dir="auto">{askedBy}</dd>
          </>
        )}
        {expiresAt !== null && (
          <>
            <dt>{say(isOver ? 'page.expired' : 'page.expires')}</dt>
            <dd class={isOver ? 'over' : ''}>
              <time dateTime={expiresAt}>{formatDateTime(expiresAt)}</time>
            </dd>
          </>
        )}
        {/* The hash is not repeated when the card's text names it. */}
        {hash !== null && !text.includes(hash.slice(0, SHORT_HASH)) && (
          <>
            <dt>{say('page.hash')}</dt>
            <dd class="hash" dir="ltr">
              {hash}
            </dd>
          </>
        )}
      </dl>
      {bound !== null && (
        <details class="bound">
          <summary>{say('page.bound')}</summary>
          <Markdown text={bound} language={language} />
        </details>
      )}
      <Buttons id={id} version={version} buttons={buttons} pressed={pressed} />
    </section>
  );
}

function useIsOver(expiresAt: string | null): boolean {
  const end = expiresAt === null ? Infinity : Date.parse(expiresAt);
  const [isOver, setIsOver] = useState(end <= Date.now());
  useEffect(() => {
    const left = end - Date.now();
    setIsOver(left <= 0);
    if (left <= 0 || left > LONGEST_TIMER_MS) return undefined;
    const timer = setTimeout(() => setIsOver(true), left);
    return () => clearTimeout(timer);
  }, [end]);
  return isOver;
}

export const drawApproval = createRenderer(PAGE_COMPONENTS.Approval, Approval);
