const { subscribe } = require('node:diagnostics_channel');

const sockets = new Set();
const closed = new Map();

/** Counts the bytes that this process sends and receives as a client, by the port of the server. */
exports.countBytes = () => {
  subscribe('net.client.socket', ({ socket }) => {
    socket.once('connect', () => {
      const { remotePort } = socket;
      sockets.add(socket);
      socket.once('close', () => {
        sockets.delete(socket);
        closed.set(remotePort, (closed.get(remotePort) ?? 0) + bytesOf(socket));
      });
    });
  });
};

/** Returns the bytes since the start. */
exports.readBytes = () => {
  const bytes = Object.fromEntries(closed);
  for (const socket of sockets) bytes[socket.remotePort] = (bytes[socket.remotePort] ?? 0) + bytesOf(socket);
  return bytes;
};

const bytesOf = ({ bytesRead, bytesWritten }) => bytesRead + bytesWritten;
