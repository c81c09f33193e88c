import type { Component } from '@signalbox/contracts/conversation/frames';
import type { ComponentChildren, ComponentType as View, VNode } from 'preact';
import type { z } from 'zod';

/** What a view of a component gets. */
export interface ViewProps<P> {
  /** For what is pressed in it, with the version that is shown. */
  readonly id: string;
  readonly version: string;
  readonly props: P;
  /** The children of the component: drawn by the view where `placesChildren`, and else below it. */
  readonly children?: ComponentChildren;
}

export type Drawable = Pick<Component, 'id' | 'version' | 'type' | 'props'>;

/** Draws a component; null when its props are not of its form. */
export type Drawer = (component: Drawable, children: ComponentChildren) => VNode | null;

/** A drawer of the components whose props this schema reads, each of them once: props are never changed, only replaced. */
export function drawAs<S extends z.ZodType>(
  schema: S,
  Shown: View<ViewProps<z.output<S>>>,
  { placesChildren = false }: { readonly placesChildren?: boolean } = {},
): Drawer {
  const known = new WeakMap<object, z.ZodSafeParseResult<z.output<S>>>();
  return ({ id, version, props }, children) => {
    const read = known.get(props) ?? schema.safeParse(props);
    known.set(props, read);
    if (!read.success) return null;
    return (
      <>
        <Shown id={id} version={version} props={read.data}>
          {placesChildren ? children : null}
        </Shown>
        {!placesChildren && children}
      </>
    );
  };
}
