import type { Component } from '@signalbox/contracts/conversation/frames';
import { Fragment, type VNode } from 'preact';
import { ComponentView } from '../drawing/component-view.tsx';
import { dayOf } from '../theme/time.tsx';

/** The components in order, with a line before each new day. */
export function renderRows(components: readonly Component[]): readonly VNode[] {
  let day: string | null = null;
  return components.map((component) => {
    const own = findDay(component);
    const begins = own !== null && own !== day;
    day = own ?? day;
    return (
      <Fragment key={component.id}>
        {begins && <p class="day">{own}</p>}
        <article class="row" data-id={component.id} data-from={findSpeaker(component)} tabIndex={-1}>
          <ComponentView component={component} />
        </article>
      </Fragment>
    );
  });
}

function findDay({ props: { at } }: Component): string | null {
  return typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? dayOf(at) : null;
}

/** The side on which a component is shown. */
function findSpeaker({ type, props: { from, author } }: Component): 'person' | 'agent' {
  return type === 'Message' && from === 'person' && typeof author !== 'string' ? 'person' : 'agent';
}
