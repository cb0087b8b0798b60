/** The command line that runs a TypeScript file of ours in a process of its own. */
export function typescriptProgram(file: string): [string, ...string[]] {
  return [process.execPath, '--require', require.resolve('tsx/cjs'), file];
}
