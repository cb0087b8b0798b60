import { BSONError, type Document } from 'bson';
import { DatabaseError } from 'pg';

const CODE_NAME: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  5: 'GraphContainsCycle',
  6: 'HostUnreachable',
  8: 'UnknownError',
  9: 'FailedToParse',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  16: 'InvalidLength',
  18: 'AuthenticationFailed',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  24: 'LockTimeout',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  34: 'CannotBackfillArray',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  54: 'NotSingleValueField',
  56: 'EmptyFieldName',
  57: 'DottedFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  68: 'IndexAlreadyExists',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  91: 'ShutdownInProgress',
  112: 'WriteConflict',
  115: 'CommandNotSupported',
  117: 'ConflictingOperationInProgress',
  121: 'DocumentValidationFailure',
  146: 'ExceededMemoryLimit',
  165: 'ViewDepthLimitExceeded',
  166: 'CommandNotSupportedOnView',
  167: 'OptionNotSupportedOnView',
  197: 'InvalidIndexSpecificationOption',
  224: 'QueryFeatureNotAllowed',
  241: 'ConversionFailure',
  251: 'NoSuchTransaction',
  263: 'OperationNotSupportedInTransaction',
  276: 'IndexBuildAborted',
  291: 'NoQueryExecutionPlans',
  361: 'CollectionUUIDMismatch',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  12587: 'BackgroundOperationInProgressForNamespace',
  14031: 'OutOfDiskSpace',
};

/** SQLSTATEs of the extension (table documentdb_errors) and of PostgreSQL, with their MongoDB error codes. */
const CODE_OF_STATE: Readonly<Record<string, number>> = {
  M0000: 1,
  M0001: 2,
  M0002: 5,
  M0003: 9,
  M0004: 14,
  M0005: 15,
  M00DO: 16,
  M0006: 20,
  M00EW: 24,
  M0008: 26,
  M0009: 27,
  M000A: 28,
  M000C: 34,
  M000D: 40,
  M000E: 43,
  M000F: 48,
  M00EX: 50,
  M000G: 52,
  M000H: 53,
  M000I: 54,
  M000J: 56,
  M000K: 57,
  M00EY: 59,
  M000M: 66,
  M000N: 67,
  M000O: 68,
  M000P: 72,
  M000Q: 73,
  M000R: 85,
  M000S: 86,
  M00F0: 91,
  M00F1: 112,
  M000U: 115,
  M00F2: 117,
  M00CO: 121,
  M000W: 146,
  M000Y: 165,
  M000Z: 166,
  M0010: 167,
  M0012: 197,
  M0013: 224,
  M0015: 241,
  M00F6: 251,
  M0016: 263,
  M0017: 276,
  M0018: 291,
  M0019: 361,
  M001B: 10334,
  M001C: 11000,
  M001D: 12587,
  M002D: 16766,
  M003A: 17419,
  M003B: 17420,
  M007U: 40324,
  M0088: 40415,
  23505: 11000, // unique_violation
  '23P01': 11000, // exclusion_violation of a unique index
  40001: 112, // serialization_failure
  '40P01': 112, // deadlock_detected
  '55P03': 24, // lock_not_available
  57014: 50, // query_canceled: maxTimeMS is a statement timeout
  '57P01': 91, // admin_shutdown
  '57P03': 91, // cannot_connect_now
  '42P01': 26, // undefined_table: dropped by a concurrent command
  53100: 14031, // disk_full
};

export class CommandError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly details: Document = {},
  ) {
    super(message);
  }
}

function codeName(code: number): string {
  return CODE_NAME[code] ?? `Location${code}`;
}

/** The MongoDB error code of an SQLSTATE; 8 (UnknownError) if there is none. */
export function codeOfState(state: string | undefined): number {
  return (state === undefined ? undefined : CODE_OF_STATE[state]) ?? 8;
}

/** PostgreSQL packs an SQLSTATE into an integer, six bits per character. */
export function unpackState(packed: number): string {
  let state = '';
  for (let rest = packed; state.length < 5; rest >>= 6) state += String.fromCharCode((rest & 63) + 48);
  return state;
}

/** Whether a retry of the command can succeed. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  // Two commands that create a collection at once violate a unique constraint of the extension's catalog.
  if (error.code === '23505')
    return error.schema === 'documentdb_api_catalog' || error.schema === 'pg_catalog';
  if (error.code === 'XX000') return isCatalogRace(error);
  return ['40001', '40P01', '55P03', '42P07'].includes(error.code ?? '');
}

/** Whether an internal error (XX000) is a lost race for a catalog row. */
function isCatalogRace({ message }: DatabaseError): boolean {
  return /tuple concurrently|cache lookup failed|could not open relation/.test(message);
}

export function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof DatabaseError) return new CommandError(codeOfState(error.code), error.message);
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError || error instanceof BSONError) return new CommandError(22, message);
  if (error instanceof TypeError) return new CommandError(1, message);
  // PostgreSQL is unreachable: drivers retry this error code.
  return new CommandError(6, `PostgreSQL is unreachable: ${message}`);
}

export function errorReply(error: CommandError): Document {
  return { ok: 0, errmsg: error.message, code: error.code, codeName: codeName(error.code), ...error.details };
}
