import { Client } from 'undici';
import { WebhookTarget } from '../../../test/support/webhook-target';
import { InterimResponseFilter } from './undici-interim-responses';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('undici', () => {
  it('fails on 100 Continue; if this fails, the patch can be removed', async () => {
    const target = await WebhookTarget.raw(CONTINUE + OK);
    const client = new Client(target.url().replace('/hook', ''));
    const response = client.request({ method: 'POST', path: '/', body: '{}' });
    await expect(response).rejects.toThrow('bad response');
    await client.destroy();
    await target.close();
  });
});

describe('InterimResponseFilter', () => {
  const filtered = (text: string, size: number) => {
    const filter = new InterimResponseFilter();
    const bytes = Buffer.from(text);
    let kept = '';
    for (let at = 0; at < bytes.length; at += size)
      kept += filter.filter(bytes.subarray(at, at + size)).toString();
    return kept;
  };

  it.each([
    ['a final response', OK, OK],
    ['one interim response', CONTINUE + OK, OK],
    ['two, one with headers', `${CONTINUE}HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n${OK}`, OK],
    ['line feeds alone', `HTTP/1.1 100 Continue\nA: b\n\n${OK}`, OK],
    [
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    ],
    ['an interim response within the content', OK + CONTINUE, OK + CONTINUE],
    ['no HTTP', 'SSH-2.0', 'SSH-2.0'],
  ])('reads %s in parts of any size', (_, text, kept) => {
    for (let size = 1; size <= text.length; size++) expect(filtered(text, size)).toBe(kept);
  });
});
