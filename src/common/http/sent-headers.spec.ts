import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { releaseSentHeaders } from './sent-headers';

describe('the headers of a response', () => {
  it('are released once they were sent', () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    response.setHeader('x-request-id', 'one');
    releaseSentHeaders(response);
    expect(response.getHeaders()).toEqual({ 'x-request-id': 'one' });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // If this fails, Node releases them itself.
    expect(response.getHeaderNames()).toEqual(['x-request-id', 'content-type']);
    releaseSentHeaders(response);
    expect([response.getHeaderNames(), response.headersSent]).toEqual([[], true]);
  });
});
