import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A wire to a server on this machine that can be cut. */
export interface TcpRelay {
  readonly port: number;
  /** Ends every connection and takes no new ones, as if the server were gone. */
  cut(): void;
  /** Lets nothing through, either way or the answers alone, and ends no connection: a wire that is only silent. */
  silence(which: 'all' | 'answers'): void;
  /** Lets each answer through that much later, as a server does that is busy. */
  slow(ms: number): void;
  /** After so many bytes of answers, the connection that gets them ends in the middle. */
  cutAfter(bytes: number): void;
  /** As it was at the beginning: what was held back while it was silent goes on. */
  mend(): void;
  close(): Promise<void>;
}

/** Opens a wire to this port. */
export async function openTcpRelay(target: number): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let silent: 'all' | 'answers' | null = null;
  let bytesLeft = Infinity;
  let slowMs = 0;
  const held = new Set<() => void>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const pass = (from: Socket, to: Socket, isAnswer: boolean): void => {
    from.on('data', (bytes) => {
      if (isAnswer && bytes.length > bytesLeft) {
        to.write(bytes.subarray(0, bytesLeft), () => to.destroy());
        bytesLeft = Infinity;
        return void from.destroy();
      }
      if (isAnswer) bytesLeft -= bytes.length;
      if (silent === 'all' || (silent === 'answers' && isAnswer)) {
        from.pause();
        return void held.add(() => {
          if (!to.destroyed) to.write(bytes);
          from.resume();
        });
      }
      if (isAnswer && slowMs > 0) return void setTimeout(() => to.write(bytes), slowMs);
      if (to.write(bytes)) return;
      from.pause();
      to.once('drain', () => from.resume());
    });
    from.on('end', () => to.end());
    from.on('close', () => to.destroy());
  };
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    keep(near);
    if (isCut) return void near.destroy();
    const far = connect({ port: target, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    keep(far);
    pass(near, far, false);
    pass(far, near, true);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port, // it listens on TCP
    cut,
    silence: (which) => void (silent = which),
    slow: (ms) => void (slowMs = ms),
    cutAfter: (bytes) => void (bytesLeft = bytes),
    mend: () => {
      isCut = false;
      silent = null;
      bytesLeft = Infinity;
      const waiting = [...held];
      held.clear();
      for (const go of waiting) go();
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
