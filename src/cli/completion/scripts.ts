import { PRODUCT } from '../../api/names.js';

/** What a shell loads to complete the commands of this program. Each asks the program itself for what can follow. */

const FUNCTION = `_${PRODUCT.replaceAll('-', '_')}`;

/** For bash 3.2 and newer. Words are taken from the line itself, since bash splits them at `=`. */
const BASH = `# bash completion for ${PRODUCT}: source <(${PRODUCT} completion bash)
${FUNCTION}() {
  local line typed="\${COMP_LINE:0:COMP_POINT}" directive=""
  local -a words
  read -ra words <<<"$typed"
  [[ $typed == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :* ]]; then directive=$line; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 0 && $directive == ":0" ]]; then compopt -o default 2>/dev/null; fi
}
complete -F ${FUNCTION} ${PRODUCT}
`;

const ZSH = `#compdef ${PRODUCT}
# zsh completion for ${PRODUCT}: source <(${PRODUCT} completion zsh)
${FUNCTION}() {
  local -a lines names
  lines=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,$CURRENT]}" 2>/dev/null)}")
  names=("\${(@)\${(@)lines:#:*}%%$'\\t'*}")
  compset -P '*='
  if [[ -n "\${names[1]}" ]]; then
    compadd -a names
  elif [[ "\${lines[-1]}" == ":0" ]]; then
    _files
  fi
}
compdef ${FUNCTION} ${PRODUCT}
`;

const FISH = `# fish completion for ${PRODUCT}: ${PRODUCT} completion fish | source
function _${FUNCTION}
  set -l typed (commandline -opc)
  set -l program $typed[1]
  set -e typed[1]
  set -l last (commandline -ct)
  set -l prefix (string match -r -- '^--[^=]+=' $last)
  for line in (command $program __complete $typed "$last" 2>/dev/null)
    string match -q -- ':*' $line; and continue
    echo "$prefix$line"
  end
end
complete -c ${PRODUCT} -f -a '(_${FUNCTION})'
complete -c ${PRODUCT} -l filename -s f -r -F
complete -c ${PRODUCT} -l kubeconfig -r -F
`;

export const COMPLETION_SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
