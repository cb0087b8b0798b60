import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const uploading = new WeakSet<Socket>();

/**
 * Exempts a request from the time limit of requests while its body is read. A connection without traffic is still closed.
 * @returns ends the exemption.
 */
export function beginUpload({ socket }: IncomingMessage): () => void {
  uploading.add(socket);
  return () => uploading.delete(socket);
}

export const isUploading = (socket: Socket): boolean => uploading.has(socket);
