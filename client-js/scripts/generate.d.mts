export function schemaPath(): string;
export const targetPath: string;
export function generate(): Promise<string>;
