import { existsSync } from 'node:fs';
import { Environment } from './environment';

/** The environment variables, plus those of a `.env` file in the working directory that are not set. */
export function readProcessEnvironment(): Environment {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
