import { DatabaseError } from 'pg';

import { asCommandError, codeOfState, CommandError, errorReply, isTransient, unpackState } from './errors';

function databaseError(code: string, message = 'message', schema?: string): DatabaseError {
  return Object.assign(new DatabaseError(message, message.length, 'error'), { code, schema });
}

describe('errors', () => {
  it('have the SQLSTATE that PostgreSQL packs into an integer', () => {
    expect(unpackState(319029277)).toBe('M001C');
    expect(codeOfState('M001C')).toBe(11000);
    expect(codeOfState('M9999')).toBe(8);
  });

  it.each([
    ['23P01', 11000, 'DuplicateKey'],
    ['40001', 112, 'WriteConflict'],
    ['57014', 50, 'MaxTimeMSExpired'],
    ['M0088', 40415, 'Location40415'],
  ])('of the state %s have the code %d', (state, code, codeName) => {
    const reply = errorReply(asCommandError(databaseError(state)));
    expect(reply).toEqual({ ok: 0, errmsg: 'message', code, codeName });
  });

  it('of an unreachable database have a code that drivers retry', () => {
    expect(asCommandError(new Error('connect ECONNREFUSED')).code).toBe(6);
  });

  it('are transient if another command caused them', () => {
    expect(isTransient(databaseError('40P01'))).toBe(true);
    expect(isTransient(databaseError('40001'))).toBe(true);
    expect(isTransient(databaseError('XX000', 'tuple concurrently updated'))).toBe(true);
    expect(isTransient(databaseError('23505', 'duplicate key', 'documentdb_api_catalog'))).toBe(true);
  });

  it('are not transient if the command itself caused them', () => {
    expect(isTransient(databaseError('23505', 'duplicate key', 'documentdb_data'))).toBe(false);
    expect(isTransient(databaseError('XX000', 'invalid page in block 0'))).toBe(false);
    expect(isTransient(databaseError('M0001'))).toBe(false);
    expect(isTransient(new CommandError(112, 'conflict'))).toBe(false);
  });
});
