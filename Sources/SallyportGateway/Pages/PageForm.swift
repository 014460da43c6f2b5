/// A form that is sent by POST, with the fields that nobody sees.
struct PageForm {
    let action: String
    let hidden: [(name: String, value: String)]
    let content: Markup

    var markup: Markup {
        """
        <form method="post" action="\(action)">
        \(hidden.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">\n" as Markup })\
        \(content)
        </form>
        """
    }
}

/// What was wrong with the answer before. It is read aloud at once, and the fields that it is about name it.
struct PageProblem {
    let text: String?

    /// What a field that it is about is given; `hint` names an explanation of the field that is always there.
    func attributes(hint: String? = nil) -> Markup {
        let names = [text == nil ? nil : "problem", hint].compactMap(\.self).joined(separator: " ")
        let isDescribed: Markup? = names.isEmpty ? nil : " aria-describedby=\"\(names)\""
        let isInvalid: Markup? = text == nil ? nil : " aria-invalid=\"true\""
        return "\(isDescribed)\(isInvalid)"
    }

    var markup: Markup? {
        text.map { "<p class=\"problem\" id=\"problem\" role=\"alert\">\($0)</p>" }
    }
}
