import { deserialize } from 'bson';
import { connect } from 'node:net';

import { MessageSplitter } from './documentdb/front/message-splitter';
import { messageBytes, readRequest } from './documentdb/front/wire-message';

const TIMEOUT_MS = 2000;

/** Sends bytes to a loopback port and checks the responses. */
function request(
  port: number,
  bytes: Buffer | string,
  isAnswer: (chunk: Buffer) => boolean,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
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
        if (isAnswer(chunk)) end(true);
      } catch {
        end(false);
      }
    });
  });
}

/** With DocumentDB, the ping also reaches PostgreSQL. */
export function answersMongodb(port: number): Promise<boolean> {
  const splitter = new MessageSplitter();
  return request(port, messageBytes({ ping: 1, $db: 'admin' }), (chunk) =>
    splitter.push(chunk).some((message) => deserialize(readRequest(message).body).ok === 1),
  );
}

/** Whether Redis accepts the password and has loaded its data. */
export function answersRedis(port: number, password: string): Promise<boolean> {
  let received = '';
  return request(port, `AUTH ${password}\r\nPING\r\n`, (chunk) => {
    received += chunk.toString('latin1');
    return received === '+OK\r\n+PONG\r\n';
  });
}
