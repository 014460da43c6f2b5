/// The part of the completion script for bash that the argument parser does not generate.
enum BashCompletion {
    /// A function to add at the end of the generated script, and its registration. The last `complete` of a command replaces the earlier ones.
    ///
    /// The generated function counts the words of bash as arguments, so it offers no options after a URL, which is three words, and no
    /// values after a beginning such as `--auth=w`.
    static let joinedArguments = #"""

        # Completes like _sallyport, with the words that the program gets as its arguments.
        #
        # bash also separates words at the characters of COMP_WORDBREAKS, such as the ":" of a URL and the "=" of "--auth=work".
        # This function joins such parts again, and separates options from their values.
        __sallyport_complete_arguments() {
            local -a arguments=()
            local line="${COMP_LINE}" before='' part spaces
            local -i index last=-1
            for ((index = 0; index <= COMP_CWORD; index++)); do
                part="${COMP_WORDS[index]}"
                spaces="${line%%[![:space:]]*}"
                line="${line#"${spaces}"}"
                line="${line#"${part}"}"
                if [[ "${index}" -eq 0 || -n "${spaces}" ]]; then
                    last+=1
                    arguments[last]=''
                fi
                # The text before the part of the word that bash replaces
                before="${arguments[last]}"
                arguments[last]+="${part}"
            done
            [[ -z "${2}" ]] && before="${arguments[last]}"
            before="${before%[\"\']}"
            [[ "${before}" = --*=* ]] && before="${before#*=}"

            local -a COMP_WORDS=()
            local argument
            for argument in "${arguments[@]}"; do
                if [[ "${argument}" = --*=* ]]; then
                    COMP_WORDS+=("${argument%%=*}" "${argument#*=}")
                else
                    COMP_WORDS+=("${argument}")
                fi
            done
            local -i COMP_CWORD="${#COMP_WORDS[@]}-1"
            local COMP_LINE
            printf -v COMP_LINE '%s ' "${COMP_WORDS[@]}"
            COMP_LINE="${COMP_LINE% }"
            local -i COMP_POINT="${#COMP_LINE}"

            _sallyport "${1}" "${before}${2}" "${COMP_WORDS[COMP_CWORD - 1]}"
            COMPREPLY=("${COMPREPLY[@]#"${before}"}")
        }

        complete -o filenames -F __sallyport_complete_arguments sallyport

        """#
}
