import { type MachineFacts, mongodbSources } from './choose-mongodb';

const HOUR_MS = 60 * 60_000;

const bareDebian: MachineFacts = {
  mongodOnPath: false,
  mongodDownloaded: false,
  downloadFailedAt: undefined,
  now: 100 * HOUR_MS,
  debian: true,
  root: true,
  dataSource: undefined,
};

describe('mongodbSources', () => {
  it('prefers a mongod on the PATH, then a download, then DocumentDB', () => {
    const facts = { ...bareDebian, mongodOnPath: true };
    expect(mongodbSources(facts)).toEqual(['mongod-on-path', 'mongod-download', 'documentdb']);
  });

  it('skips the download for a day after it failed', () => {
    const failed = (hours: number): MachineFacts => ({
      ...bareDebian,
      downloadFailedAt: bareDebian.now - hours * HOUR_MS,
    });
    expect(mongodbSources(failed(23))).toEqual(['documentdb']);
    expect(mongodbSources(failed(24))).toEqual(['mongod-download', 'documentdb']);
  });

  it('includes a downloaded mongod even if a later download failed', () => {
    const facts = { ...bareDebian, mongodDownloaded: true, downloadFailedAt: bareDebian.now };
    expect(mongodbSources(facts)).toEqual(['mongod-download', 'documentdb']);
  });

  it.each([
    { debian: false, root: true },
    { debian: true, root: false },
  ])('has no DocumentDB with %o', (machine) => {
    expect(mongodbSources({ ...bareDebian, ...machine })).toEqual(['mongod-download']);
  });

  it('starts with the source that holds the data', () => {
    const facts: MachineFacts = { ...bareDebian, mongodOnPath: true, dataSource: 'documentdb' };
    expect(mongodbSources(facts)).toEqual(['documentdb', 'mongod-on-path', 'mongod-download']);
  });

  it('continues with the others if that source is gone', () => {
    const facts: MachineFacts = {
      ...bareDebian,
      downloadFailedAt: bareDebian.now,
      dataSource: 'mongod-on-path',
    };
    expect(mongodbSources(facts)).toEqual(['documentdb']);
  });
});
