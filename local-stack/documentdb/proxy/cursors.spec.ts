import { Cursors, CURSOR_IDLE_MS } from './cursors';

const PLACE = Buffer.from('place');

describe('cursors', () => {
  it('are kept until they end or are killed', () => {
    const cursors = new Cursors();
    cursors.keep('1', PLACE);
    cursors.keep('2', PLACE);
    expect(cursors.continuation('1')).toBe(PLACE);
    cursors.keep('1', undefined);
    expect(cursors.continuation('1')).toBeUndefined();
    expect(cursors.kill('2')).toBe(true);
    expect(cursors.kill('2')).toBe(false);
    expect(cursors.size).toBe(0);
  });

  it('are removed after ten minutes without a read', () => {
    let now = 0;
    const cursors = new Cursors(() => now);
    cursors.keep('read', PLACE);
    cursors.keep('left', PLACE);
    now = CURSOR_IDLE_MS;
    cursors.keep('read', PLACE);
    now += 1;
    expect(cursors.dropIdle()).toEqual(['left']);
    expect(cursors.continuation('read')).toBe(PLACE);
  });

  it('are limited to what the extension can hold', () => {
    const cursors = new Cursors();
    for (let id = 0; id < 5001; id += 1) cursors.keep(String(id), PLACE);
    expect(cursors.size).toBe(5000);
    expect(cursors.continuation('0')).toBeUndefined();
    expect(cursors.continuation('5000')).toBe(PLACE);
  });
});
