import { deserialize } from 'bson';
import { connect } from 'node:net';

import { MessageSplitter } from './documentdb/proxy/message-splitter';
import { messageBytes, readRequest } from './documentdb/proxy/wire-message';

const TIMEOUT_MS = 2000;

/** Sends bytes to a loopback port. @returns whether the response is the expected one. */
function request(
  port: number,
  bytes: Buffer | string,
  isResponse: (chunk: Buffer) => boolean,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const end = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.setTimeout(TIMEOUT_MS, () => {
      end(false);
    });
    socket.on('error', () => {
      end(false);
    });
    socket.on('close', () => {
      resolve(false);
    });
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      try {
        if (isResponse(chunk)) end(true);
      } catch {
        end(false);
      }
    });
  });
}

/** With DocumentDB, the ping also reaches PostgreSQL. */
export function isMongodbResponding(port: number): Promise<boolean> {
  const splitter = new MessageSplitter();
  return request(port, messageBytes({ ping: 1, $db: 'admin' }), (chunk) =>
    splitter.push(chunk).some((message) => deserialize(readRequest(message).body).ok === 1),
  );
}

/** Whether Redis accepts the password and has loaded its data. */
export function isRedisResponding(port: number, password: string): Promise<boolean> {
  let received = '';
  return request(port, `AUTH ${password}\r\nPING\r\n`, (chunk) => {
    received += chunk.toString('latin1');
    return received === '+OK\r\n+PONG\r\n';
  });
}
