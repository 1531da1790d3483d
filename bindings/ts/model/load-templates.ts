/** Chat templates, in a file of their own: dist/templates.js. */
export const loadTemplates = async () => (await import("./templates.js")).Chat;
