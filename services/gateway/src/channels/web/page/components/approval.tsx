import { COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { say } from '../say.ts';
import { Markdown } from '../text/markdown.tsx';
import { Icon } from '@signalbox/page-kit/icons';
import { Clock, wholeTime } from '../theme/time.tsx';
import { Buttons } from './buttons.tsx';
import { drawAs, type ViewProps } from '../drawing/drawer.tsx';

/** A card names what it is bound to by so much of its hash. */
const SHORT_HASH = 8;

/** Timers of browsers hold no more than 24 days. */
const LONGEST_TIMER_MS = 24 * 86_400_000;

/** A card that waits for a decision; all that is bound opens in it. Whether a press still counts is the gateway's to say, so the buttons stay. */
function Approval({ id, version, props }: ViewProps<ComponentProps<'Approval'>>): VNode {
  const { text, bound, at, language, hash, askedBy, expiresAt, buttons, pressed } = props;
  const isOver = useIsOver(expiresAt);
  return (
    <section class="card approval" aria-labelledby={`${id}-title`}>
      <header class="card-head">
        <Icon name="shield" />
        <h3 id={`${id}-title`}>{say('page.approval')}</h3>
        <Clock at={at} />
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
              <time dateTime={expiresAt}>{wholeTime(expiresAt)}</time>
            </dd>
          </>
        )}
        {/* The text of a card names it as a rule: what it says there is not said again. */}
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

export const drawApproval = drawAs(COMPONENTS.Approval, Approval);
