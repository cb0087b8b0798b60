import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = readonly [IncomingMessage, ServerResponse];

/**
 * Answers the requests of a connection one after the other. Node by itself starts all requests at once that arrive in one piece
 * of 64 KB (HTTP pipelining). While requests wait, nothing more is read from their connection.
 * @param maxWaiting of all connections together; a connection that exceeds it is closed.
 */
export function oneRequestAtATime(handle: RequestListener, maxWaiting: number): RequestListener {
  /** The waiting requests of each connection with a pending response. */
  const queues = new Map<Socket, Exchange[]>();
  const pipelining = new WeakSet<Socket>();
  let waiting = 0;

  function run([request, response]: Exchange): void {
    const { socket } = request;
    response.once('close', () => {
      // Requests of other connections have their turn in between.
      if (queues.get(socket)?.length) setImmediate(runNext, socket);
      else queues.delete(socket);
    });
    handle(request, response);
  }

  function runNext(socket: Socket): void {
    const queue = queues.get(socket) ?? [];
    const next = socket.writable ? queue.shift() : undefined;
    if (!next) {
      waiting -= queue.length;
      queues.delete(socket);
      return;
    }
    waiting -= 1;
    if (queue.length === 0) socket.resume();
    run(next);
  }

  function pauseReading(socket: Socket): void {
    socket.pause();
    if (pipelining.has(socket)) return;
    pipelining.add(socket);
    // Node resumes a connection when a request on it is read.
    socket.on('resume', () => {
      if (queues.get(socket)?.length) socket.pause();
    });
  }

  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket);
    if (!queue) {
      queues.set(socket, []);
      run([request, response]);
    } else if (waiting < maxWaiting) {
      queue.push([request, response]);
      waiting += 1;
      pauseReading(socket);
    } else {
      socket.destroy();
    }
  };
}
