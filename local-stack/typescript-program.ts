/** The command line that runs a TypeScript file in another process. */
export function typescriptProgram(file: string): [string, ...string[]] {
  return [process.execPath, '--require', require.resolve('tsx/cjs'), file];
}
