import { join } from 'node:path';
import { deploymentProblems } from './kubernetes/deployment-problems';

const ROOT = join(__dirname, '..');

const problems = deploymentProblems(join(ROOT, 'deploy', 'kubernetes'), join(ROOT, 'docker-compose.yml'));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
