import { CredentialsError } from '../transport/credentials.js';

/** No configuration of the API server was found, or it cannot be used. The message is one line, without secrets, for the user. */
export class KubeconfigError extends CredentialsError {}
