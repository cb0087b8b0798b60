// Tests run on a real database and in real time: on a busy machine one can lose a race that is not its subject. It is
// repeated, and what failed the first time is printed.
jest.retryTimes(2, { logErrorsBeforeRetry: true });
