/** The module, compressed by gzip and in base64. */
export declare const MESH: string;
