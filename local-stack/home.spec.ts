import { homedir } from 'node:os';

import { homeFrom } from './home';

describe("the stack's home", () => {
  it('is in the cache folder unless LOCAL_STACK_HOME is set', () => {
    expect(homeFrom({}).path).toBe(`${homedir()}/.cache/messaging-gateway`);
    expect(homeFrom({ XDG_CACHE_HOME: '/var/cache/me' }).path).toBe('/var/cache/me/messaging-gateway');
    expect(homeFrom({ XDG_CACHE_HOME: '/var/cache/me', LOCAL_STACK_HOME: '/srv/stack' }).path).toBe(
      '/srv/stack',
    );
    expect(homeFrom({ XDG_CACHE_HOME: '', LOCAL_STACK_HOME: '' }).path).toBe(
      `${homedir()}/.cache/messaging-gateway`,
    );
  });

  it('can share the programs of another home, with its own data', () => {
    const own = homeFrom({ LOCAL_STACK_HOME: '/srv/one' });
    expect(own.documentdbData).toBeUndefined();
    const sharing = homeFrom({ LOCAL_STACK_HOME: '/srv/other', LOCAL_STACK_PROGRAMS: '/srv/one' });
    expect(sharing).toMatchObject({
      path: '/srv/other',
      programs: '/srv/one',
      mongodDownloads: own.mongodDownloads,
      documentdb: own.documentdb,
      documentdbData: '/srv/other/documentdb',
      mongodbData: '/srv/other/mongodb',
      redisData: '/srv/other/redis',
    });
    expect(sharing.processTag).not.toBe(own.processTag);
  });

  it('has a process tag of its own', () => {
    const tags = ['/a', '/b', '/a/'].map((path) => homeFrom({ LOCAL_STACK_HOME: path }).processTag);
    expect(new Set(tags).size).toBe(2);
  });
});
