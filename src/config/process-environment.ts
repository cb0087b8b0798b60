import { existsSync } from 'node:fs';
import { Environment } from './environment';

/** The process's environment, completed by a `.env` file in the working directory; what is set already wins. */
export function readProcessEnvironment(): Environment {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
