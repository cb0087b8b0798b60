import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Checks the workflows with GitHub's own parser: unknown keys, missing ones, expressions, jobs that need each other. */

const FOLDER = join(__dirname, '..', '.github', 'workflows');

async function problemsOf(name: string): Promise<string[]> {
  const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } =
    await import('@actions/workflow-parser');
  const content = readFileSync(join(FOLDER, name), 'utf8');
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

async function main(): Promise<void> {
  const problems = (await Promise.all(readdirSync(FOLDER).map(problemsOf))).flat();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

void main();
