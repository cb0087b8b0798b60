import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BeforeApplicationShutdown, Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/**
 * Ends connections when the process is to stop: those without a request under way at once, the others after their answer.
 * Node itself waits for a connection on which nothing was asked yet, as load balancers and browsers open them in advance,
 * until its headers are overdue, and the process with it.
 */
@Injectable()
export class ConnectionDrain implements OnModuleInit, BeforeApplicationShutdown {
  /** How many requests are under way on each connection. */
  private readonly underWay = new Map<Socket, number>();
  private isStopping = false;

  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    server.on('connection', (socket: Socket) => {
      this.underWay.set(socket, 0);
      socket.once('close', () => this.underWay.delete(socket));
      this.endIfIdle(socket);
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.underWay.set(socket, (this.underWay.get(socket) ?? 0) + 1);
      response.once('close', () => {
        const count = this.underWay.get(socket);
        if (count !== undefined) this.underWay.set(socket, count - 1);
        this.endIfIdle(socket);
      });
    });
  }

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const socket of this.underWay.keys()) this.endIfIdle(socket);
  }

  private endIfIdle(socket: Socket): void {
    if (this.isStopping && this.underWay.get(socket) === 0) socket.destroySoon();
  }
}
