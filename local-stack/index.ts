export { keptSecret, requiredSecrets } from './kept-secret';
export { startLocalStack, stopLocalStack } from './local-stack';
export { StackUnavailable } from './unavailable';
